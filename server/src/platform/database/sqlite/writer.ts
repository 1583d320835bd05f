import { once } from 'node:events'
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import { compiledCodeEnvironment } from '../../compiled-code.ts'
import type { Log } from '../../log.ts'
import { SqliteConnection, type Statement } from './connection.ts'

/** Lets one at a time go on, in the order in which they asked. */
class Turns {
	#last: Promise<void> = Promise.resolve()

	/** Resolves when all before have ended their turns, with what ends this one; ending it twice does nothing. */
	async take(): Promise<() => void> {
		const before = this.#last
		const { promise, resolve } = Promise.withResolvers<void>()
		this.#last = promise
		await before
		return resolve
	}
}

/** NORMAL: a commit writes its pages to the log without waiting for the disk; `GroupFlush` waits, in the thread pool. */
const settings = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;
	PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF`

const busyMs = 5000
const retryMs = 5

/** The one connection that writes. What it resolves with is on disk, and the event loop never waits for the disk. */
export class SqliteWriter {
	readonly #connection: SqliteConnection
	readonly #logFile: number
	readonly #flushes: GroupFlush
	readonly #turns = new Turns()
	readonly #checkpoints: CheckpointSchedule

	constructor(path: string, log: Log) {
		this.#connection = new SqliteConnection(path, settings)
		// The first read makes the write-ahead log, and it stays the same file as long as a connection is open.
		this.#connection.exec('select 1 from sqlite_master; PRAGMA busy_timeout = 0')
		this.#logFile = openSync(`${path}-wal`, 'r+')
		const flushFile = promisify(fdatasync)
		this.#flushes = new GroupFlush(() => flushFile(this.#logFile))
		this.#checkpoints = new CheckpointSchedule(path, this.#turns, log)
	}

	/** Begins a transaction when all before have ended; returns what ends the turn. */
	async begin(): Promise<() => void> {
		const endTurn = await this.#turns.take()
		try {
			this.#flushes.requireWorking()
			// Taken at its start, the write lock cannot be lost to another process between a read and the write after it.
			await this.#whenUnlocked(() => this.#connection.exec('begin immediate'))
			return endTurn
		} catch (error) {
			endTurn()
			throw error
		}
	}

	/** A statement of the transaction that has the turn. */
	run<R>(statement: Statement): QueryResult<R> {
		return this.#connection.run(statement)
	}

	/** Ends the turn before the flush: the next transaction runs meanwhile, and may share its flush with others. */
	async commit(endTurn: () => void): Promise<void> {
		this.#connection.exec('commit')
		endTurn()
		await this.#flush()
	}

	/** Some errors have ended the transaction already. */
	rollback(): void {
		if (this.#connection.isInTransaction) this.#connection.exec('rollback')
	}

	/** A statement that is a transaction by itself. */
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

	forgetStatements(): void {
		this.#connection.forgetStatements()
	}

	/** The last connection of all moves the log into the file and removes it. */
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

	/** SQLite's own way to wait for another process's lock would hold the event loop. */
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

/** The lowest byte is the kind of the error, the others say more. */
function isBusy(error: unknown): boolean {
	return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5
}

/**
 * Flushes a file for many at once: whoever asks while a flush is under way shares the next one. After a flush has failed,
 * nobody knows what of the file is on disk (the system forgets which pages it could not write), so all further ones fail too.
 */
export class GroupFlush {
	readonly #flushFile: () => Promise<void>
	#failure: Error | null = null
	#running: Promise<void> | null = null
	#next: Promise<void> | null = null

	constructor(flushFile: () => Promise<void>) {
		this.#flushFile = flushFile
	}

	/** Resolves when everything that was written before the call is on disk. */
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

	/** Throws when nobody could ever say whether what is written now is on disk. */
	requireWorking(): void {
		if (this.#failure) throw this.#failure
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
			this.#failure = new Error(
				'The control store could not be flushed to disk; it takes no changes until the program is started again.',
				{ cause },
			)
			throw this.#failure
		}
	}
}

/** A log of this size takes some 50 ms to move and, after a crash, to read. */
const stepBytes = 8 * 1024 * 1024

/**
 * Moves SQLite's write-ahead log into the file when it has grown by 8 MB, in a thread that exists for that long: a
 * checkpoint writes and flushes both files. The failure of a thread is logged, and the next step tries again.
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
		// A reader of an old state can keep the log from being emptied; then the next step is as far away again.
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

	/** Most of the log is moved while others write; they wait only while the rest is, and the log starts again. */
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
