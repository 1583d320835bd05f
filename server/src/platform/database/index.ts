import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Log } from '../log.ts'
import type { ControlStore } from './database.ts'
import type { ControlSchema } from './schema.ts'
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

const pollMs = 1000
const int8 = 20

/** bigint columns hold milliseconds and counters below 2^53, so they are read as numbers, as SQLite gives them. */
function numericTypes({ getTypeParser }: typeof pg.types) {
	return {
		getTypeParser: (oid: number, format?: 'text' | 'binary') =>
			oid === int8 ? Number : getTypeParser(oid, format as 'text'),
	}
}

/** Opens a PostgreSQL control store; only then its driver is loaded. */
export async function openPostgres(url: string, log: Log): Promise<ControlStore> {
	const { default: driver } = await import('pg')
	const pool = new driver.Pool({
		connectionString: url,
		max: 10,
		types: numericTypes(driver.types) as never,
		application_name: 'signalbox',
		connectionTimeoutMillis: 5000,
	})
	// Between two statements of a transaction nobody else listens: its next user gets the error, and the program continues.
	pool.on('connect', (client) =>
		client.on('error', (error) => log.warn({ err: error }, 'control store: connection lost')),
	)
	// The pool says the same again of idle ones.
	pool.on('error', () => {})
	const db = new Kysely<ControlSchema>({ dialect: new PostgresDialect({ pool }) })
	return {
		db,
		kind: 'postgres',
		watch: (wake) => watchNotifications(driver, url, wake, log),
		close: () => db.destroy(),
	}
}

/** NOTIFY only wakes; the slow poll stands in for notifications lost with a connection. */
function watchNotifications(driver: typeof pg, url: string, wake: () => void, log: Log): () => Promise<void> {
	let client: pg.Client | null = null
	let stopped = false
	const connect = async () => {
		const next = new driver.Client({
			connectionString: url,
			application_name: 'signalbox-watch',
			connectionTimeoutMillis: 5000,
		})
		next.on('notification', wake)
		next.on('error', (error) => log.warn({ err: error }, 'control store: notification connection lost'))
		next.on('end', () => {
			client = null
		})
		await next.connect()
		await next.query('LISTEN signalbox_changes')
		client = next
		if (stopped) await next.end()
	}
	let connecting: Promise<void> | null = null
	const tick = () => {
		if (!client && !connecting && !stopped) {
			connecting = connect()
				.catch((error: unknown) => log.warn({ err: error }, 'control store: cannot listen for changes'))
				.finally(() => {
					connecting = null
				})
		}
		wake()
	}
	const timer = setInterval(tick, pollMs)
	timer.unref()
	tick()
	return async () => {
		stopped = true
		clearInterval(timer)
		await connecting
		await client?.end()
	}
}
