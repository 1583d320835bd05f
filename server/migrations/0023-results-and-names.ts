import type { Kysely } from 'kysely'
import {
	addColumns,
	count,
	createIndex,
	createTable,
	id,
	json,
	of,
	optional,
	text,
	time,
} from '../src/platform/database/ddl.ts'

/** How large results may be, what was left out of those that were larger, and names of a workspace's choice. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'mcp_servers', {
		max_result_bytes: optional(count),
		tool_prefix: optional(text),
		tool_aliases: optional(json),
	})
	await createTable(db, 'mcp_kept_results', {
		id,
		workspace_id: of('workspaces.id'),
		server_id: of('mcp_servers.id'),
		tool: text,
		bytes: count,
		created_at: time,
		sealed_content: text,
	})
	// With the sizes, so that a workspace's sum reads no content.
	await createIndex(db, 'mcp_kept_results', ['workspace_id', 'created_at', 'bytes'])
	await createIndex(db, 'mcp_kept_results', ['server_id'])
	await createIndex(db, 'mcp_kept_results', ['created_at'])
}
