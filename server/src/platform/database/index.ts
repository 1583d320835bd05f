import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { ControlStore } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite/driver.ts'

export {
	type ControlStore,
	type Database,
	type DatabaseTransaction,
	duplicateOf,
	isPostgres,
	lockGroups,
	nameContains,
	type Queryable,
} from './database.ts'
export { controlMigrationStatus, migrateControlStore, noControlMigrations } from './migrate.ts'
export { countOf, type Listing, numberedRows, ownedRows, pageOf } from './owned-rows.ts'
export { openPostgres } from './postgres.ts'
export type { ControlSchema } from './schema.ts'
export { openSqlite } from './sqlite/driver.ts'

/** The SQLite file of a data directory. */
export function controlStorePath(dataDir: string): string {
	return join(dataDir, 'control.db')
}

/** Opens PostgreSQL where an address is given, else the file of the data directory, which is made if need be. */
export async function openControlStore(
	databaseUrl: string | null,
	dataDir: string,
	log: Log,
): Promise<ControlStore> {
	return databaseUrl ? openPostgres(databaseUrl, log) : openSqlite(controlStorePath(dataDir), log)
}
