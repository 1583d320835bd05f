import { sql } from 'kysely'
import { type DatabaseTransaction, isPostgres } from './database.ts'

/**
 * Lets one transaction at a time change which agents are in which groups and which toolsets these have, so that none
 * derives grants from what another is about to change. Take it first: a transaction that holds rows could wait here for
 * one that waits for its rows. Held until the transaction ends; SQLite has one writer anyway.
 */
export async function lockGroups(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314008)`.execute(tx)
}
