import type { Kysely } from 'kysely'
import { addColumns, optional, text } from '../src/platform/database/ddl.ts'

/** A rule of redaction may be for what one ingest token brings. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'redaction_rules', { ingest_token_id: optional(text) })
}
