import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
	type DatabaseConnection,
	type Dialect,
	type Driver,
	Kysely,
	type QueryResult,
	SqliteAdapter,
	SqliteIntrospector,
	SqliteQueryCompiler,
} from 'kysely'
import { type Log, silentLog } from '../../log.ts'
import type { ControlStore } from '../database.ts'
import type { ControlSchema } from '../schema.ts'
import { SqliteConnection, type Statement } from './connection.ts'
import { SqliteWriter } from './writer.ts'

const shareMs = 5

/**
 * SQLite statements are synchronous calls, and a chain of them would block the event loop to its end. After 5 ms of blocking, the
 * loop turns before the next statement.
 */
class LoopShare {
	#sinceMs: number | null = null

	/** Await it before each statement. */
	async claim(): Promise<void> {
		const nowMs = performance.now()
		if (this.#sinceMs === null) {
			this.#sinceMs = nowMs
			setImmediate(() => {
				this.#sinceMs = null
			})
		} else if (nowMs - this.#sinceMs > shareMs) await nextTurn()
	}
}

export interface SqliteConnections {
	writer: SqliteWriter
	reader: SqliteConnection
}

/** Serialises transactions on the writing connection. Reads outside of transactions never wait. */
export class SqliteDriver implements Driver {
	readonly #connections: SqliteConnections
	readonly #share = new LoopShare()

	constructor(connections: SqliteConnections) {
		this.#connections = connections
	}

	async init(): Promise<void> {}

	async acquireConnection(): Promise<SqliteSession> {
		return new SqliteSession(this.#connections, this.#share)
	}

	beginTransaction(session: SqliteSession): Promise<void> {
		return session.begin()
	}

	commitTransaction(session: SqliteSession): Promise<void> {
		return session.commit()
	}

	async rollbackTransaction(session: SqliteSession): Promise<void> {
		session.rollback()
	}

	async releaseConnection(): Promise<void> {}

	/** The store opened the connections and closes them. */
	async destroy(): Promise<void> {}
}

/** A connection in Kysely's sense: it serves one transaction, or single statements outside of one. */
class SqliteSession implements DatabaseConnection {
	readonly #writer: SqliteWriter
	readonly #reader: SqliteConnection
	readonly #share: LoopShare
	/** Set while this session's transaction holds the writer. */
	#endTurn: (() => void) | null = null

	constructor({ writer, reader }: SqliteConnections, share: LoopShare) {
		this.#writer = writer
		this.#reader = reader
		this.#share = share
	}

	async executeQuery<R>(statement: Statement): Promise<QueryResult<R>> {
		await this.#share.claim()
		const result = await this.#execute<R>(statement)
		if (/^\s*(create|alter|drop)/i.test(statement.sql)) this.#forgetStatements()
		return result
	}

	streamQuery(): never {
		throw new Error('The control store does not stream rows.')
	}

	async begin(): Promise<void> {
		this.#endTurn = await this.#writer.begin()
	}

	async commit(): Promise<void> {
		await this.#writer.commit(() => this.#end())
	}

	/** Kysely calls it after a failed commit too, when another session may hold the writer. */
	rollback(): void {
		if (this.#endTurn === null) return
		try {
			this.#writer.rollback()
		} finally {
			this.#end()
		}
	}

	async #execute<R>(statement: Statement): Promise<QueryResult<R>> {
		if (this.#endTurn) return this.#writer.run(statement)
		if (/^\s*select\b/i.test(statement.sql)) return this.#reader.run(statement)
		return this.#writer.runAlone(statement)
	}

	#end(): void {
		this.#endTurn?.()
		this.#endTurn = null
	}

	#forgetStatements(): void {
		this.#writer.forgetStatements()
		this.#reader.forgetStatements()
	}
}

/** Opens the embedded control store, a file. A commit resolves only when it is on disk. */
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
		watch: (wake) => watchCommits(path, reader, wake),
		stopped: () => writer.failure,
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

/** Commits within this time are checked together. */
const gatherMs = 50
/** Used if the file system reports no events. */
const pollMs = 200

const versionQuery = { sql: 'PRAGMA data_version', parameters: [] }

/**
 * Calls `wake` after commits of other connections and processes, until the returned function is called. Every commit appends to the
 * write-ahead log beside the database, and the kernel reports the change of that file, so an idle program needs no polling. A
 * connection does not see its own commits in `data_version`, so the reading connection is asked.
 */
function watchCommits(path: string, reader: SqliteConnection, wake: () => void): () => Promise<void> {
	const version = () => reader.run<{ data_version: number }>(versionQuery).rows[0]?.data_version
	let seen = version()
	const check = () => {
		if (!reader.isOpen) return
		const now = version()
		if (now !== seen) wake()
		seen = now
	}
	let timer: NodeJS.Timeout | null = null
	const checkSoon = () => {
		timer ??= setTimeout(() => {
			timer = null
			check()
		}, gatherMs).unref()
	}
	let polling: NodeJS.Timeout | undefined
	const poll = () => {
		polling ??= setInterval(check, pollMs).unref()
	}
	const watcher = watchFile(`${path}-wal`, checkSoon, poll)
	return async () => {
		watcher?.close()
		clearInterval(polling)
		if (timer) clearTimeout(timer)
	}
}

/**
 * Watches the directory, because the file is created and deleted with the connections. `giveUp` is called if no more events will
 * come.
 */
function watchFile(path: string, onChange: () => void, giveUp: () => void): FSWatcher | null {
	const name = basename(path)
	try {
		const watcher = watch(dirname(path), { persistent: false }, (_event, changed) => {
			if (changed === null || changed === name) onChange()
		})
		return watcher.on('error', giveUp)
	} catch {
		giveUp()
		return null
	}
}
