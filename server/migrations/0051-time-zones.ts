import type { Kysely } from 'kysely'

/** In which time zone a person reads times; null: that of the browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable('users').addColumn('time_zone', 'text').execute()
}
