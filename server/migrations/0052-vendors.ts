import type { Kysely } from 'kysely'

/** Whose prices apply to the calls of a connection; null: it follows from its base URL. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable('connections').addColumn('priced_as', 'text').execute()
}
