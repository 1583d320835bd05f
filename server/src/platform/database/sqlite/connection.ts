import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

const maxStatements = 500

/** One connection to an SQLite file, with a cache of prepared statements. All calls are synchronous. */
export class SqliteConnection {
	readonly #connection: DatabaseSync
	readonly #prepared = new Map<string, StatementSync>()

	/** @param settings pragmas */
	constructor(path: string, settings: string, readOnly = false) {
		this.#connection = new DatabaseSync(path, { timeout: 5000, readOnly })
		this.#connection.exec(settings)
		// SQLite's own knows only the letters of ASCII, so a search for `ärzte` would not find `Ärzte`. No index uses it.
		this.#connection.function('lower', { deterministic: true }, (text) =>
			typeof text === 'string' ? text.toLowerCase() : text,
		)
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

	/** Runs a statement whose result is not needed. */
	exec(sql: string): void {
		this.#connection.exec(sql)
	}

	/** Clears the cache: prepared statements keep the columns from when they were prepared. */
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
		if (this.#prepared.size < maxStatements) this.#prepared.set(sql, statement)
		return statement
	}
}
