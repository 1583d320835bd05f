import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

const statementsMax = 500

/** One connection to an SQLite file, which prepares each statement once. All calls are synchronous. */
export class SqliteConnection {
	readonly #connection: DatabaseSync
	readonly #prepared = new Map<string, StatementSync>()

	/** `settings` are pragmas. */
	constructor(path: string, settings: string, readOnly = false) {
		this.#connection = new DatabaseSync(path, { timeout: 5000, readOnly })
		this.#connection.exec(settings)
	}

	get isOpen(): boolean {
		return this.#connection.isOpen
	}

	get isInTransaction(): boolean {
		return this.#connection.isTransaction
	}

	/** Throws the errors of `node:sqlite`, with `errcode`. */
	run<R>({ sql, parameters }: Statement): QueryResult<R> {
		const statement = this.#prepare(sql)
		const values = parameters as SQLInputValue[]
		if (statement.columns().length > 0) return { rows: statement.all(...values) as R[] }
		return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
	}

	/** A statement of which nothing is to be known but that it was done. */
	exec(sql: string): void {
		this.#connection.exec(sql)
	}

	/** Prepared statements keep the columns that they had. */
	forgetStatements(): void {
		this.#prepared.clear()
	}

	close(): void {
		this.#connection.close()
	}

	#prepare(sql: string): StatementSync {
		const known = this.#prepared.get(sql)
		if (known) return known
		const statement = this.#connection.prepare(sql)
		if (this.#prepared.size < statementsMax) this.#prepared.set(sql, statement)
		return statement
	}
}
