import { type Dialect, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { type Log, silentLog } from '../log.ts'
import type { ControlStore } from './database.ts'
import type { ControlSchema } from './schema.ts'
import { SqliteConnection } from './sqlite/connection.ts'
import { SqliteDriver } from './sqlite/driver.ts'
import { SqliteWriter } from './sqlite/writer.ts'

const pollMs = 200

/** Opens the embedded control store, a file. Every commit is on disk before it is answered. */
export function openSqlite(path: string, log: Log = silentLog): ControlStore {
	const writer = new SqliteWriter(path, log)
	const reader = new SqliteConnection(path, 'PRAGMA trusted_schema = OFF', true)
	const db = new Kysely<ControlSchema>({ dialect: dialectOf(new SqliteDriver({ writer, reader })) })
	let closing: Promise<void> | null = null
	const close = async () => {
		await db.destroy()
		reader.close()
		await writer.close()
	}
	return {
		db,
		kind: 'sqlite',
		watch: (wake) => watchCommits(reader, wake),
		close: () => {
			closing ??= close()
			return closing
		},
	}
}

class SeveralConnectionsAdapter extends SqliteAdapter {
	override get supportsMultipleConnections() {
		return true
	}
}

function dialectOf(driver: SqliteDriver): Dialect {
	return {
		createDriver: () => driver,
		createQueryCompiler: () => new SqliteQueryCompiler(),
		createAdapter: () => new SeveralConnectionsAdapter(),
		createIntrospector: (db) => new SqliteIntrospector(db),
	}
}

/** A connection never sees its own commits in `data_version`, so the one that reads watches for those of others. */
function watchCommits(reader: SqliteConnection, wake: () => void): () => Promise<void> {
	const version = () => reader.run<{ data_version: number }>(versionQuery).rows[0]?.data_version
	let seen = version()
	const timer = setInterval(() => {
		if (!reader.isOpen) return
		const now = version()
		if (now !== seen) wake()
		seen = now
	}, pollMs)
	timer.unref()
	return async () => clearInterval(timer)
}

const versionQuery = { sql: 'PRAGMA data_version', parameters: [] }
