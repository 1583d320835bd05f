import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { ControlStore } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** The SQLite file of a data directory. */
export function controlStorePath(dataDir: string): string {
	return join(dataDir, 'control.db')
}

/** Opens PostgreSQL where an address is given, else the file of the data directory; null: an empty store in memory. */
export async function openControlStore(
	databaseUrl: string | null,
	dataDir: string | null,
	log: Log,
): Promise<ControlStore> {
	return databaseUrl
		? openPostgres(databaseUrl, log)
		: openSqlite(dataDir === null ? ':memory:' : controlStorePath(dataDir))
}
