import type { Kysely } from 'kysely'
import { addColumns, json, optional } from '../src/platform/database/ddl.ts'

/** Which hints in the annotations of its server's tools deny them to a grant. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'access_grants', { denied_hints: optional(json) })
}
