import type { Kysely } from 'kysely'
import { createTable, of, text, time } from '../src/platform/database/ddl.ts'

/** What workspaces chose for calls that cannot be recorded; one without a row requires the record. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'call_recording_settings',
		{ workspace_id: of('workspaces.id'), mode: text, updated_at: time },
		(table) => table.addPrimaryKeyConstraint('call_recording_settings_pk', ['workspace_id']),
	)
}
