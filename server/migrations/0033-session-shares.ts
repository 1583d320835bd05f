import type { Kysely } from 'kysely'
import { createIndex, createTable, flag, id, of, text, time, unique } from '../src/platform/database/ddl.ts'

/** Links that show one session to whoever has them, and the workspaces that allow them. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'sharing_settings',
		{ workspace_id: of('workspaces.id'), enabled: flag, updated_at: time },
		(table) => table.addPrimaryKeyConstraint('sharing_settings_pk', ['workspace_id']),
	)
	await createTable(db, 'session_shares', {
		id,
		workspace_id: of('workspaces.id'),
		session_id: text,
		token_hash: unique,
		messages: flag,
		created_by: text,
		created_at: time,
		expires_at: time,
	})
	await createIndex(db, 'session_shares', ['workspace_id', 'created_at'])
}
