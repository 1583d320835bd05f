import type { Kysely } from 'kysely'
import { createTable, json, of, optional, text, time } from '../src/platform/database/ddl.ts'

/** Suggestions that were applied, with the grants before and after, so that they can be reverted exactly. */
export async function up(db: Kysely<unknown>): Promise<void> {
	const columns = {
		workspace_id: of('workspaces.id'),
		id: text,
		document: json,
		grants: json,
		applied_at: time,
		reverted_at: optional(time),
	}
	await createTable(db, 'access_suggestions', columns, (table) =>
		table.addPrimaryKeyConstraint('access_suggestions_pk', ['workspace_id', 'id']),
	)
}
