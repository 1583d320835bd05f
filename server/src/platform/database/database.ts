import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import type { ControlSchema } from './schema.ts'

export type Database = Kysely<ControlSchema>
export type DatabaseTransaction = Transaction<ControlSchema>
/** The argument of repository functions: the store, or the transaction to run in. */
export type Queryable = Database | DatabaseTransaction

export interface ControlStore {
	db: Database
	kind: 'sqlite' | 'postgres'
	/** Calls back when another connection may have committed a change; returns a function that stops it. */
	watch(wake: () => void): () => Promise<void>
	/** Why it takes no changes until the program is started again; null while it takes them. */
	stopped?(): string | null
	close(): Promise<void>
}

/** The store takes no changes until the program is started again. */
export class StoreStopped extends Error {
	override name = 'StoreStopped'
}

/** For the few statements that only one of the two databases needs. */
export function isPostgres(db: Queryable): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter
}

/** The text that names the violated constraint or columns if a write failed with a duplicate, else null. */
export function duplicateOf(error: unknown): string | null {
	const { code, errcode, constraint, message } = error as {
		code?: string
		errcode?: number
		constraint?: string
		message?: string
	}
	if (code === '23505') return constraint ?? ''
	if (errcode === 1555 || errcode === 2067) return message ?? ''
	return null
}

/** Whether a write failed because a row that it refers to does not exist (any more). */
export function refersToNothing(error: unknown): boolean {
	const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
	return code === '23503' || errcode === 787
}

/** Each run loses to another transaction; so many in a row mean that something else is wrong. */
const maxRuns = 5

/**
 * Runs a transaction. Of several that wait for each other, PostgreSQL ends one and stores nothing of it; that one runs again, as if it had
 * begun after the others. So `work` reads in the transaction what it decides by, and does nothing outside of it that may not be repeated.
 */
export async function transact<T>(db: Database, work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
	for (let runs = 1; ; runs += 1) {
		try {
			return await db.transaction().execute(work)
		} catch (error) {
			if (!gaveWay(error) || runs === maxRuns) throw error
		}
	}
}

/** Whether PostgreSQL ended a transaction for the sake of others: a deadlock, or a serialisation failure. */
function gaveWay(error: unknown): boolean {
	const code = (error as { code?: unknown } | null)?.code
	return code === '40P01' || code === '40001'
}

/** Less than PostgreSQL waits before it looks for a deadlock (`deadlock_timeout`, one second by default). */
const lockWaitMs = 200

/** From now on the transaction waits only briefly for each lock, and then fails; SQLite has one writer anyway. */
export async function limitLockWait(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`.execute(tx)
}

/** Whether a transaction failed because it would have waited longer for a lock. */
export function isLockTimeout(error: unknown): boolean {
	return (error as { code?: unknown } | null)?.code === '55P03'
}

/**
 * Serialises transactions that change the members or toolsets of groups, so that none derives grants from rows that another is
 * about to change. Take it first: a transaction that already holds row locks could deadlock with one that waits for them. Held
 * until the transaction ends; SQLite has one writer anyway.
 */
export async function lockGroups(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314008)`.execute(tx)
}

/**
 * Serialises transactions that count the same rows before they add one. Without it, concurrent requests could each count before
 * another one inserts, and exceed a limit together. Held until the transaction ends; SQLite has one writer anyway.
 */
export async function lockCount(tx: DatabaseTransaction, rows: string): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314011, hashtext(${rows}))`.execute(tx)
}

/**
 * A condition: one of these columns contains this text, ignoring case; `%` and `_` are literal. The database folds both sides: it may
 * know fewer letters than the program does, and would then not find a name by the name itself.
 */
export function nameContains(text: string, columns: readonly string[] = ['name']) {
	const pattern = `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
	const contains = columns.map((column) => sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`)
	return sql<boolean>`(${sql.join(contains, sql` or `)})`
}
