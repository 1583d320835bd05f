import type { Kysely } from 'kysely'
import { createTable, id, json, of, owned, text } from '../src/platform/database/ddl.ts'

/** What workspaces have taken out of their telemetry beside what the built-in detectors find. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		'redaction_rules',
		{
			id,
			workspace_id: of('workspaces.id'),
			name: text,
			pattern: text,
			label: text,
			applies_to: json,
			attribute_keys: json,
			...owned,
		},
		(table) => table.addUniqueConstraint('redaction_rules_name', ['workspace_id', 'name']),
	)
}
