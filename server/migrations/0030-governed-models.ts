import type { Kysely } from 'kysely'
import {
	addColumns,
	count,
	createIndex,
	createTable,
	flag,
	id,
	json,
	of,
	optional,
	owned,
	text,
} from '../src/platform/database/ddl.ts'

/** Where model calls go, how many may be made, and what becomes of those whose client has left. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'model_routes',
		{
			id,
			workspace_id: of('workspaces.id'),
			name: text,
			strategy: text,
			targets: json,
			retries: count,
			first_token_timeout_ms: optional(count),
			idle_timeout_ms: optional(count),
			total_timeout_ms: optional(count),
			...owned,
		},
		(table) => table.addUniqueConstraint('model_routes_name', ['workspace_id', 'name']),
	)
	await createTable(db, 'model_limits', {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		scope: text,
		scope_id: optional(text),
		requests_per_minute: optional(count),
		tokens_per_minute: optional(count),
		concurrency: optional(count),
		enabled: flag,
		...owned,
	})
	await createIndex(db, 'model_limits', ['workspace_id', 'created_at'])
	await addColumns(db, 'credentials', { on_disconnect: optional(text) })
}
