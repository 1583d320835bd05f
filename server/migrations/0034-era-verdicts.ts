import type { Kysely } from 'kysely'
import { createIndex, createTable, id, of, text, time } from '../src/platform/database/ddl.ts'

/** Which revision of the protocol a server speaks to whoever's token comes along. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'mcp_era_verdicts', {
		id,
		workspace_id: of('workspaces.id'),
		server_id: of('mcp_servers.id'),
		protocol_version: text,
		probed_at: time,
	})
	await createIndex(db, 'mcp_era_verdicts', ['server_id'])
	await createIndex(db, 'mcp_era_verdicts', ['probed_at'])
}
