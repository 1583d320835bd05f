import type { Kysely } from 'kysely'
import { createIndex, createTable, id, time } from '../src/platform/database/ddl.ts'

/** What a client asks of a person is answered once. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'answered_authorizations', { id, expires_at: time })
	await createIndex(db, 'answered_authorizations', ['expires_at'])
}
