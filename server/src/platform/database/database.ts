import { type Kysely, PostgresAdapter, type Transaction } from 'kysely'
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
