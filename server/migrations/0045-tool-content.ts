import type { Kysely } from 'kysely'
import { addColumns, flag, withDefault } from '../src/platform/database/ddl.ts'

/** Whether a workspace records what its tools are given and what they answer: it does, unless it chose otherwise. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'call_recording_settings', { tool_content: withDefault(flag, 1) })
}
