import type { Kysely } from 'kysely'
import { createIndex, createTable, id, json, of, owned, text } from '../src/platform/database/ddl.ts'

/** Dashboards: panels of saved views. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'dashboards', {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		description: text,
		panels: json,
		...owned,
	})
	await createIndex(db, 'dashboards', ['workspace_id', 'name'])
}
