import { once } from 'node:events'
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import { compiledCodeEnvironment } from '../../compiled-code.ts'
import type { Log } from '../../log.ts'
import { StoreStopped } from '../database.ts'
import { SqliteConnection, type Statement } from './connection.ts'

/** A mutex with a first-in, first-out queue. */
class Turns {
	#last: Promise<void> = Promise.resolve()

	/** Waits for all earlier turns to end. Resolves with the function that ends this turn, which is idempotent. */
	async take(): Promise<() => void> {
		const before = this.#last
		const { promise, resolve } = Promise.withResolvers<void>()
		this.#last = promise
		await before
		return resolve
	}
}

/** NORMAL: a commit writes its pages to the log without waiting for the disk; `GroupFlush` waits instead, in the thread pool. */
const settings = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;
	PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF`

const busyMs = 5000
const retryMs = 5

/** The only connection that writes. Its promises resolve once the data is on disk, and the event loop never waits for the disk. */
export class SqliteWriter {
	readonly #connection: SqliteConnection
	readonly #logFile: number
	readonly #flushes: GroupFlush
	readonly #turns = new Turns()
	readonly #checkpoints: CheckpointSchedule

	constructor(path: string, log: Log) {
		this.#connection = new SqliteConnection(path, settings)
		// The first read creates the write-ahead log, which stays the same file as long as a connection is open.
		this.#connection.exec('select 1 from sqlite_master; PRAGMA busy_timeout = 0')
		this.#logFile = openSync(`${path}-wal`, 'r+')
		const flushFile = promisify(fdatasync)
		this.#flushes = new GroupFlush(() => flushFile(this.#logFile))
		this.#checkpoints = new CheckpointSchedule(path, this.#turns, log)
	}

	/** Begins a transaction when all earlier ones have ended; returns the function that ends the turn. */
	async begin(): Promise<() => void> {
		const endTurn = await this.#turns.take()
		try {
			this.#flushes.requireWorking()
			// With `immediate`, no other process can take the write lock between a read and the following write.
			await this.#whenUnlocked(() => this.#connection.exec('begin immediate'))
			return endTurn
		} catch (error) {
			endTurn()
			throw error
		}
	}

	/** Runs a statement of the current transaction. */
	run<R>(statement: Statement): QueryResult<R> {
		return this.#connection.run(statement)
	}

	/** Ends the turn before the flush: the next transaction runs meanwhile, and several may share a flush. */
	async commit(endTurn: () => void): Promise<void> {
		this.#connection.exec('commit')
		endTurn()
		await this.#flush()
	}

	/** Some errors have already ended the transaction. */
	rollback(): void {
		if (this.#connection.isInTransaction) this.#connection.exec('rollback')
	}

	/** Runs a statement as its own transaction. */
	async runAlone<R>(statement: Statement): Promise<QueryResult<R>> {
		const endTurn = await this.#turns.take()
		try {
			this.#flushes.requireWorking()
			const result = await this.#whenUnlocked(() => this.#connection.run<R>(statement))
			endTurn()
			await this.#flush()
			return result
		} finally {
			endTurn()
		}
	}

	/** See `ControlStore.stopped`. */
	get failure(): string | null {
		return this.#flushes.failure
	}

	forgetStatements(): void {
		this.#connection.forgetStatements()
	}

	/** Closing the last connection moves the log into the database file and deletes it. */
	async close(): Promise<void> {
		await this.#checkpoints.close()
		await this.#turns.take()
		await this.#flushes.flush().catch(() => {})
		this.#connection.close()
		closeSync(this.#logFile)
	}

	async #flush(): Promise<void> {
		await this.#flushes.flush()
		this.#checkpoints.onLogSize(fstatSync(this.#logFile).size)
	}

	/** SQLite's own wait for another process's lock would block the event loop. */
	async #whenUnlocked<T>(work: () => T): Promise<T> {
		const untilMs = performance.now() + busyMs
		for (;;) {
			try {
				return work()
			} catch (error) {
				if (!isBusy(error) || performance.now() > untilMs) throw error
			}
			await pause(retryMs)
		}
	}
}

/** The lowest byte is the primary error code, the others refine it. */
function isBusy(error: unknown): boolean {
	return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5
}

/**
 * Flushes a file on behalf of many callers: all requests during a flush share the next one. After a failed flush the contents on
 * disk are unknown (the kernel forgets which pages it could not write), so all later flushes fail too.
 */
export class GroupFlush {
	readonly #flushFile: () => Promise<void>
	#failure: StoreStopped | null = null
	#running: Promise<void> | null = null
	#next: Promise<void> | null = null

	constructor(flushFile: () => Promise<void>) {
		this.#flushFile = flushFile
	}

	/** Resolves when everything written before the call is on disk. */
	flush(): Promise<void> {
		if (this.#running === null) return this.#begin()
		this.#next ??= this.#running
			.catch(() => {})
			.then(() => {
				this.#next = null
				return this.#begin()
			})
		return this.#next
	}

	/** Throws after a failed flush, when it could not be known whether new writes reach the disk. */
	requireWorking(): void {
		if (this.#failure) throw this.#failure
	}

	get failure(): string | null {
		return this.#failure?.message ?? null
	}

	#begin(): Promise<void> {
		this.#running = this.#flushOnce().finally(() => {
			this.#running = null
		})
		return this.#running
	}

	async #flushOnce(): Promise<void> {
		this.requireWorking()
		try {
			await this.#flushFile()
		} catch (cause) {
			this.#failure = new StoreStopped(
				'The control store could not be flushed to disk; it takes no changes until the program is started again.',
				{ cause },
			)
			throw this.#failure
		}
	}
}

/** Checkpointing a log of this size, or reading it after a crash, takes some 50 ms. */
const stepBytes = 8 * 1024 * 1024

/**
 * Checkpoints SQLite's write-ahead log whenever it has grown by 8 MB. A checkpoint writes and flushes both files, so it runs in a
 * short-lived thread. If the thread fails, that is logged, and the next step tries again.
 */
class CheckpointSchedule {
	readonly #path: string
	readonly #turns: Turns
	readonly #log: Log
	#nextAtBytes = stepBytes
	#running: Promise<void> | null = null
	#isClosed = false

	constructor(path: string, turns: Turns, log: Log) {
		this.#path = path
		this.#turns = turns
		this.#log = log
	}

	onLogSize(bytes: number): void {
		if (bytes < this.#nextAtBytes || this.#running || this.#isClosed) return
		// A reader of an old snapshot can prevent the log from being emptied; the next attempt follows after another 8 MB.
		this.#nextAtBytes = bytes + stepBytes
		this.#running = this.#checkpoint()
			.catch((error: unknown) => this.#log.warn({ err: error }, 'control store: the checkpoint failed'))
			.finally(() => {
				this.#running = null
			})
	}

	async close(): Promise<void> {
		this.#isClosed = true
		await this.#running
	}

	/** Most of the log is moved while others write. They wait only while the rest is moved and the log is reset. */
	async #checkpoint(): Promise<void> {
		const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
			name: 'checkpoint',
			workerData: this.#path,
			execArgv: [],
			env: compiledCodeEnvironment(),
		})
		const ended = once(worker, 'exit')
		await Promise.race([once(worker, 'message'), ended])
		const endTurn = await this.#turns.take()
		try {
			worker.postMessage('empty the log')
			worker.on('message', (isEmpty: boolean) => {
				if (isEmpty) this.#nextAtBytes = stepBytes
			})
			await ended
		} finally {
			endTurn()
		}
	}
}
