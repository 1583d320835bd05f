import type { Kysely } from 'kysely'
import {
	addColumns,
	createIndex,
	createTable,
	id,
	json,
	of,
	optional,
	text,
} from '../src/platform/database/ddl.ts'

/** What servers say of themselves, and the sessions that clients have with them. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'mcp_servers', { introduction: optional(json) })
	await createTable(db, 'mcp_upstream_sessions', {
		id,
		workspace_id: of('workspaces.id'),
		session_id: of('mcp_sessions.id'),
		server_id: of('mcp_servers.id'),
		sealed_session: text,
	})
	await createIndex(db, 'mcp_upstream_sessions', ['session_id'])
	await createIndex(db, 'mcp_upstream_sessions', ['server_id'])
}
