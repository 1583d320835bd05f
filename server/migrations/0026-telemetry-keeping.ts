import type { Kysely } from 'kysely'
import { count, createTable, of, text, time } from '../src/platform/database/ddl.ts'

/** How long workspaces keep which telemetry. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'retention_settings',
		{ workspace_id: of('workspaces.id'), signal: text, days: count, updated_at: time },
		(table) => table.addPrimaryKeyConstraint('retention_settings_pk', ['workspace_id', 'signal']),
	)
}
