import type { Kysely } from 'kysely'

/** What was last told of an alert says so in its name. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable('alerts').renameColumn('told', 'notified_status').execute()
	await db.schema.alterTable('alerts').renameColumn('told_subjects', 'notified_subjects').execute()
	await db.schema.alterTable('alert_transitions').renameColumn('told', 'notified_status').execute()
}
