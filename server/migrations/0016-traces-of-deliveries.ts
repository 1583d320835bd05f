import type { Kysely } from 'kysely'
import { addColumns, optional, text } from '../src/platform/database/ddl.ts'

/** The trace of the request that had a webhook tested or a delivery sent again. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'webhook_deliveries', { traceparent: optional(text) })
}
