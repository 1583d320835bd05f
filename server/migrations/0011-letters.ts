import type { Kysely } from 'kysely'
import { createIndex, createTable, id, of, text, time } from '../src/platform/database/ddl.ts'

/** What one program has to tell another that runs an MCP operation: an answer, a cancellation, a changed session. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'mcp_letters', {
		id,
		workspace_id: of('workspaces.id'),
		sealed_content: text,
		created_at: time,
	})
	await createIndex(db, 'mcp_letters', ['created_at'])
}
