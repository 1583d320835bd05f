import type { Kysely } from 'kysely'

/** A saved view of a list has the address of its screen; those of Spotlight have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable('saved_questions').addColumn('address', 'text').execute()
}
