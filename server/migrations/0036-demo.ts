import type { Kysely } from 'kysely'
import { createTable, id, json, text, time } from '../src/platform/database/ddl.ts'

/** Demo workspaces. A row outlives its workspace until the telemetry of the workspace is erased. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'demos', { id, state: text, highlights: json, created_at: time })
}
