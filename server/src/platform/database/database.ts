import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import type { ControlSchema } from './schema.ts'

export type Database = Kysely<ControlSchema>
export type DatabaseTransaction = Transaction<ControlSchema>
/** What a repository function takes: the store, or the transaction that it must stay in. */
export type Queryable = Database | DatabaseTransaction

export interface ControlStore {
	db: Database
	kind: 'sqlite' | 'postgres'
	/** Calls back when another connection may have committed a change; returns a stop function. */
	watch(wake: () => void): () => Promise<void>
	close(): Promise<void>
}

/** For the few statements that one of the two databases needs and the other does not know. */
export function isPostgres(db: Queryable): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Whether a write failed because a unique value exists already; the text names the constraint or columns. */
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

/**
 * Lets one transaction at a time change which agents are in which groups and which toolsets these have, so that none
 * derives grants from what another is about to change. Take it first: a transaction that holds rows could wait here for
 * one that waits for its rows. Held until the transaction ends; SQLite has one writer anyway.
 */
export async function lockGroups(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314008)`.execute(tx)
}

/** A condition: one of these columns contains this text, whatever its case; `%` and `_` mean themselves. */
export function nameContains(text: string, columns: readonly string[] = ['name']) {
	const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
	const contains = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`)
	return sql<boolean>`(${sql.join(contains, sql` or `)})`
}
