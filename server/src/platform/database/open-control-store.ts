import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { type Log, Repeats } from '../log.ts'
import type { ControlStore } from './database.ts'
import type { ControlSchema } from './schema.ts'
import { openSqlite } from './sqlite/driver.ts'

/** The SQLite file of a data directory. */
export function controlStorePath(dataDir: string): string {
	return join(dataDir, 'control.db')
}

/** Opens PostgreSQL if an address is given, else the file of the data directory, which is created if needed. */
export async function openControlStore(
	databaseUrl: string | null,
	dataDir: string,
	log: Log,
): Promise<ControlStore> {
	return databaseUrl ? openPostgres(databaseUrl, log) : openFile(controlStorePath(dataDir), log)
}

/** Whether programs have kept telemetry in a data directory. They make the control store first, so such a directory has had one. */
export function holdsTelemetry(dataDir: string): boolean {
	return ['wal', 'chdb'].some(
		(name) => existsSync(join(dataDir, name)) && readdirSync(join(dataDir, name)).length > 0,
	)
}

/**
 * Throws if the SQLite file of an instance is missing or empty: it would be created again, so a new instance would start beside the
 * telemetry of the old one, and SQLite would delete a `control.db-wal` that was left.
 */
export function refuseLostControlStore(dataDir: string): void {
	const path = controlStorePath(dataDir)
	const found = statSync(path, { throwIfNoEntry: false })
	if ((found?.size ?? 0) > 0 || !holdsTelemetry(dataDir)) return
	throw new Error(
		`${path} is ${found ? 'empty' : 'missing'}, but ${dataDir} holds the telemetry of an instance. Put the file back, or restore a backup into a new data directory: signalbox backup restore. If the instance uses PostgreSQL, set DATABASE_URL.`,
	)
}

/** SQLite: CORRUPT and NOTADB. */
const damagedCodes: ReadonlySet<number> = new Set([11, 26])

/** SQLite's own message names neither the file nor what to do. */
function openFile(path: string, log: Log): ControlStore {
	refuseLostControlStore(dirname(path))
	try {
		return openSqlite(path, log)
	} catch (error) {
		const { errcode, message } = error as { errcode?: number; message: string }
		if (!damagedCodes.has((errcode ?? 0) & 0xff)) throw error
		throw new Error(
			`${path} is damaged (${message}). Restore a backup into a new data directory: signalbox backup restore.`,
			{ cause: error },
		)
	}
}

const pollMs = 1000
const int8 = 20

/** bigint columns hold milliseconds and counters below 2^53, so they are read as numbers, as from SQLite. */
function numericTypes({ getTypeParser }: typeof pg.types) {
	return {
		getTypeParser: (oid: number, format?: 'text' | 'binary') =>
			oid === int8 ? Number : getTypeParser(oid, format as 'text'),
	}
}

/** Opens a PostgreSQL control store. Its driver is loaded only here. */
export async function openPostgres(url: string, log: Log): Promise<ControlStore> {
	const { default: driver } = await import('pg')
	const pool = new driver.Pool({
		connectionString: url,
		max: 10,
		types: numericTypes(driver.types) as never,
		application_name: 'signalbox',
		connectionTimeoutMillis: 5000,
	})
	// Between two statements of a transaction nothing else listens for connection errors. The next query on it fails, and the
	// program continues.
	pool.on('connect', (client) =>
		client.on('error', (error) => log.warn({ err: error }, 'control store: connection lost')),
	)
	// The pool reports the same error again for idle clients.
	pool.on('error', () => {})
	await connectOnce(pool)
	const db = new Kysely<ControlSchema>({ dialect: new PostgresDialect({ pool }) })
	return {
		db,
		kind: 'postgres',
		watch: (wake) => watchNotifications(driver, url, wake, log),
		close: () => db.destroy(),
	}
}

/** PostgreSQL's own message names neither the setting nor, for a name with several addresses, anything at all. */
async function connectOnce(pool: pg.Pool): Promise<void> {
	try {
		;(await pool.connect()).release()
	} catch (error) {
		await pool.end()
		const { message, code } = error as NodeJS.ErrnoException
		throw new Error(`PostgreSQL (DATABASE_URL) cannot be used: ${message || code}`)
	}
}

/** NOTIFY only wakes; a slow poll covers notifications that are lost with a connection. */
function watchNotifications(driver: typeof pg, url: string, wake: () => void, log: Log): () => Promise<void> {
	let client: pg.Client | null = null
	let stopped = false
	const repeats = new Repeats()
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
		try {
			await next.connect()
			await next.query('LISTEN signalbox_changes')
		} catch (error) {
			// A standby accepts connections and refuses LISTEN: each attempt would leave a connection open.
			void next.end().catch(() => {})
			throw error
		}
		client = next
		if (stopped) await next.end()
	}
	let connecting: Promise<void> | null = null
	const tick = () => {
		if (!client && !connecting && !stopped) {
			connecting = connect()
				.catch((error: unknown) => {
					if (repeats.take('failed') > 0) log.warn({ err: error }, 'control store: cannot listen for changes')
				})
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
