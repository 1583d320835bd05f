import type { Kysely } from 'kysely'
import { addColumns, optional, text } from '../src/platform/database/ddl.ts'

/** How an agent is shown its tools: all of them, or a search for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'agents', { tool_face: optional(text) })
}
