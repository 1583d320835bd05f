import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { QueryResult } from 'kysely'
import type { Log } from '../../log.ts'
import { CheckpointSchedule } from './checkpoint-schedule.ts'
import { SqliteConnection, type Statement } from './connection.ts'
import { GroupFlush } from './group-flush.ts'
import { Turns } from './turns.ts'

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
