import type { Kysely } from 'kysely'
import {
	addColumns,
	createIndex,
	createTable,
	json,
	of,
	optional,
	text,
	time,
} from '../src/platform/database/ddl.ts'

/** What providers do later for calls with a stored key, and which results of it were paid for; hooks' secrets rotate. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'provider_objects', { part_of: optional(text) })
	await addColumns(db, 'hooks', {
		sealed_previous_secret: optional(text),
		previous_expires_at: optional(time),
	})
	await createTable(
		db,
		'deferred_calls',
		{
			workspace_id: of('workspaces.id'),
			connection_id: of('connections.id'),
			object_id: text,
			call: json,
			expires_at: time,
		},
		(table) => table.addPrimaryKeyConstraint('deferred_calls_key', ['connection_id', 'object_id']),
	)
	await createTable(
		db,
		'deferred_results',
		{
			workspace_id: of('workspaces.id'),
			connection_id: of('connections.id'),
			object_id: text,
			result_key: text,
			expires_at: time,
		},
		(table) =>
			table.addPrimaryKeyConstraint('deferred_results_key', ['connection_id', 'object_id', 'result_key']),
	)
	for (const table of ['deferred_calls', 'deferred_results']) {
		await createIndex(db, table, ['workspace_id'])
		await createIndex(db, table, ['expires_at'])
	}
}
