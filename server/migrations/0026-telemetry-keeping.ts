import type { Kysely } from 'kysely'
import {
	count,
	createIndex,
	createTable,
	id,
	of,
	optional,
	text,
	time,
} from '../src/platform/database/ddl.ts'

/** How long workspaces keep which telemetry, and what of it they had erased. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'retention_settings',
		{ workspace_id: of('workspaces.id'), signal: text, days: count, updated_at: time },
		(table) => table.addPrimaryKeyConstraint('retention_settings_pk', ['workspace_id', 'signal']),
	)
	await createTable(db, 'telemetry_erasures', {
		id,
		workspace_id: of('workspaces.id'),
		session_id: optional(text),
		user_id: optional(text),
		created_at: time,
		erased_at: optional(time),
	})
	await createIndex(db, 'telemetry_erasures', ['workspace_id', 'created_at'])
}
