import type { Kysely } from 'kysely'
import { addColumns, flag, withDefault } from '../src/platform/database/ddl.ts'

/** Whether streams whose client does not ask for usage are asked for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'connections', { inject_usage: withDefault(flag, 0) })
}
