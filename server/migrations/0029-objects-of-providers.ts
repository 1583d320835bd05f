import type { Kysely } from 'kysely'
import { createIndex, createTable, of, optional, text, time } from '../src/platform/database/ddl.ts'

/** What providers store for calls with a stored key, and whose it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'provider_objects',
		{
			workspace_id: of('workspaces.id'),
			connection_id: of('connections.id'),
			object_id: text,
			owner: text,
			created_at: time,
			expires_at: optional(time),
		},
		(table) => table.addPrimaryKeyConstraint('provider_objects_key', ['connection_id', 'object_id']),
	)
	await createIndex(db, 'provider_objects', ['workspace_id'])
	await createIndex(db, 'provider_objects', ['expires_at'])
}
