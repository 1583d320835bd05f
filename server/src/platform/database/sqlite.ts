import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { ControlStore } from './database.ts'
import type { ControlSchema } from './schema.ts'

const pollMs = 200

/** Opens the embedded control store: WAL, and every commit on disk before it is answered. */
export function openSqlite(path: string): ControlStore {
	const connection = new DatabaseSync(path, { timeout: 5000 })
	connection.exec(
		'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF',
	)
	const db = new Kysely<ControlSchema>({ dialect: new SqliteDialect({ database: kyselyView(connection) }) })
	return { db, kind: 'sqlite', watch: (wake) => watchCommits(path, wake), close: () => db.destroy() }
}

/** The four calls that Kysely makes, in the shape it expects. */
function kyselyView(connection: DatabaseSync) {
	const statements = new Map<string, StatementSync>()
	return {
		close: () => connection.close(),
		prepare: (sql: string) => {
			// Taken at its start, the write lock cannot be lost to another process between a read and the write after it.
			const statement = prepareOnce(connection, statements, sql === 'begin' ? 'begin immediate' : sql)
			return {
				reader: statement.columns().length > 0,
				all: (parameters: readonly unknown[]) => statement.all(...(parameters as never[])),
				run: (parameters: readonly unknown[]) => statement.run(...(parameters as never[])),
				iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as never[])),
			}
		},
	}
}

const statementsMax = 500

function prepareOnce(
	connection: DatabaseSync,
	statements: Map<string, StatementSync>,
	sql: string,
): StatementSync {
	const known = statements.get(sql)
	if (known) return known
	const statement = connection.prepare(sql)
	if (/^\s*(create|alter|drop)/i.test(sql)) statements.clear()
	else if (statements.size < statementsMax) statements.set(sql, statement)
	return statement
}

/** A connection never sees its own commits in `data_version`, so a second one watches for those of others. */
function watchCommits(path: string, wake: () => void): () => Promise<void> {
	const watcher = new DatabaseSync(path, { readOnly: true })
	const version = watcher.prepare('PRAGMA data_version')
	let seen = version.get()?.data_version
	const timer = setInterval(() => {
		const now = version.get()?.data_version
		if (now !== seen) wake()
		seen = now
	}, pollMs)
	timer.unref()
	return async () => {
		clearInterval(timer)
		watcher.close()
	}
}
