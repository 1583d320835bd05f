import type { Kysely } from 'kysely'
import {
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

/** What workspaces do with prompts and answers of model calls on their way. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'hooks',
		{
			id,
			workspace_id: of('workspaces.id'),
			name: text,
			enabled: flag,
			mode: text,
			action: text,
			stages: json,
			connections: json,
			models: json,
			agents: json,
			pattern: optional(text),
			label: text,
			url: optional(text),
			sealed_secret: optional(text),
			timeout_ms: count,
			fail_mode: text,
			...owned,
		},
		(table) => table.addUniqueConstraint('hooks_name', ['workspace_id', 'name']),
	)
	await createIndex(db, 'hooks', ['workspace_id', 'created_at'])
}
