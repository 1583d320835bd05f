import type { Kysely } from 'kysely'
import { addColumns, json, optional } from '../src/platform/database/ddl.ts'

/** Prompts and resources that a grant names. Grants of single tools named none so far. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'access_grants', {
		allowed_prompts: optional(json),
		allowed_resources: optional(json),
	})
}
