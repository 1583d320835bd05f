import type { Kysely } from 'kysely'
import { createIndex, createTable, id, of, time } from '../src/platform/database/ddl.ts'

/** Sealed states of MCP calls that may be brought back once, and were. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'mcp_used_states', {
		id,
		workspace_id: of('workspaces.id'),
		created_at: time,
	})
	await createIndex(db, 'mcp_used_states', ['created_at'])
}
