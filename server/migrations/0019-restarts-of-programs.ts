import type { Kysely } from 'kysely'
import { addColumns, optional, time } from '../src/platform/database/ddl.ts'

/** When somebody had a program started anew: every process that runs it sees another value. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'mcp_servers', { restarted_at: optional(time) })
}
