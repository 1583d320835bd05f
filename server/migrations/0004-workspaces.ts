import type { Kysely } from 'kysely'
import {
	addColumns,
	createIndex,
	createTable,
	flag,
	id,
	json,
	of,
	optional,
	text,
	time,
	unique,
	withDefault,
} from '../src/platform/database/ddl.ts'

/** Invitations, the settings of the instance, and the rights that it gives to workspaces. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'workspaces', { stdio_allowed: withDefault(flag, 0) })
	await createTable(db, 'invitations', {
		id,
		workspace_id: of('workspaces.id'),
		email: text,
		role: text,
		secret_hash: unique,
		mailed: flag,
		invited_by: optional(text),
		created_at: time,
		expires_at: time,
		accepted_at: optional(time),
		revoked_at: optional(time),
	})
	await createIndex(db, 'invitations', ['workspace_id', 'email'])
	await createTable(db, 'settings', { id, value: json, updated_at: time })
}
