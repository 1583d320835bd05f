import { sql } from 'kysely'
import { silentLog } from '../../log.ts'
import type { ControlStore, DatabaseTransaction } from '../database.ts'
import { controlMigrations } from '../migrate.ts'
import { appliedMigrations, runMigrations } from '../run-migrations.ts'
import type { ControlRow } from './control-snapshot.ts'

export interface ControlCopy {
	migrations: readonly string[]
	tables: readonly string[]
	rows(table: string): AsyncIterable<ControlRow[]>
}

/** PostgreSQL takes 65,535 values a statement, SQLite half of that. */
const valuesMax = 30_000

/**
 * Fills an empty store, of either kind, with copied tables: the schema of the copy first, then all rows in one
 * transaction. Throws when the store is not empty or the copy is of a newer program.
 */
export async function loadControlStore(store: ControlStore, copy: ControlCopy): Promise<void> {
	await requireEmptyControlStore(store)
	requireKnownMigrations(copy.migrations)
	const migrations = Object.entries(controlMigrations).filter(([name]) => copy.migrations.includes(name))
	await runMigrations(store, Object.fromEntries(migrations), silentLog)
	await store.db.transaction().execute(async (tx) => {
		const checkReferences = await deferReferences(tx, store.kind)
		for (const table of copy.tables) await sql`delete from ${sql.table(table)}`.execute(tx)
		for (const table of copy.tables)
			for await (const rows of copy.rows(table)) await insertRows(tx, table, rows)
		await checkReferences()
	})
}

export async function requireEmptyControlStore(store: ControlStore): Promise<void> {
	if ((await appliedMigrations(store)).length > 0)
		throw new Error('The control store is not empty: restore into a new data directory or a new database.')
}

export function requireKnownMigrations(migrations: readonly string[]): void {
	const unknown = migrations.find((name) => !(name in controlMigrations))
	if (unknown !== undefined)
		throw new Error(
			`The backup was written by a newer Signalbox (migration ${unknown}): restore it with that version.`,
		)
}

async function insertRows(tx: DatabaseTransaction, table: string, rows: ControlRow[]): Promise<void> {
	const width = Object.keys(rows[0] ?? {}).length
	const step = Math.max(1, Math.floor(valuesMax / Math.max(1, width)))
	for (let from = 0; from < rows.length; from += step)
		await tx
			.insertInto(table as never)
			.values(rows.slice(from, from + step) as never)
			.execute()
}

/** Tables come in any order, so references are checked at the end; returns that check. */
async function deferReferences(
	tx: DatabaseTransaction,
	kind: ControlStore['kind'],
): Promise<() => Promise<void>> {
	if (kind === 'sqlite') {
		await sql`pragma defer_foreign_keys = on`.execute(tx)
		return async () => undefined
	}
	const { rows } = await sql<{ name: string; owner: string }>`select quote_ident(conname) as name,
		conrelid::regclass::text as owner from pg_constraint
		where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(tx)
	const alterAll = async (how: string) => {
		for (const { name, owner } of rows)
			await sql.raw(`alter table ${owner} alter constraint ${name} ${how}`).execute(tx)
	}
	await alterAll('deferrable initially deferred')
	return async () => {
		await sql`set constraints all immediate`.execute(tx)
		await alterAll('not deferrable')
	}
}
