import type { Kysely } from 'kysely'
import { addColumns, count, withDefault } from '../src/platform/database/ddl.ts'

/** Whether what the calls of a connection carry is kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'connections', { record_bodies: withDefault(count, 1) })
}
