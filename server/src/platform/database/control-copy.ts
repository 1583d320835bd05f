import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { ControlStore, DatabaseTransaction } from './database.ts'
import { appliedMigrations, controlMigrations, makeSchemaIn } from './migrate.ts'
import { fileOf } from './snapshot.ts'

/** A row by column name: text, numbers and null only. */
export type ControlRow = Record<string, string | number | null>

/** A snapshot of all tables at one moment, unaffected by later writes. Reading it blocks nobody. */
export interface ControlSnapshot {
	/** The names of the migrations that created the tables. */
	migrations: string[]
	tables: string[]
	rows(table: string): AsyncIterable<ControlRow[]>
	close(): Promise<void>
}

const batchRows = 500

export function openControlSnapshot(store: ControlStore): Promise<ControlSnapshot> {
	return store.kind === 'sqlite' ? openSqliteSnapshot(store) : openPostgresSnapshot(store)
}

/** Uses a separate connection: a transaction on the store's own would block all other users. */
async function openSqliteSnapshot(store: ControlStore): Promise<ControlSnapshot> {
	const path = await fileOf(store)
	if (path === null) throw new Error('A store in memory cannot be copied.')
	const reader = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
	reader.exec('BEGIN')
	const column = (statement: string) =>
		reader
			.prepare(statement)
			.all()
			.map((row) => String(row.name))
	// The first read fixes the snapshot.
	const migrations = column('select name from kysely_migration order by name')
	return {
		migrations,
		tables: column(
			`select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'
				and name not like 'kysely\\_%' escape '\\' order by name`,
		),
		rows: (table) => inBatches(reader.prepare(`select * from "${table}"`).iterate() as Iterable<ControlRow>),
		close: async () => reader.close(),
	}
}

async function* inBatches(rows: Iterable<ControlRow>): AsyncIterable<ControlRow[]> {
	let batch: ControlRow[] = []
	for (const row of rows) {
		if (batch.push(row) < batchRows) continue
		yield batch
		batch = []
		// Reads are synchronous, so others run between two batches.
		await new Promise((resolve) => setImmediate(resolve))
	}
	if (batch.length > 0) yield batch
}

async function openPostgresSnapshot({ db }: ControlStore): Promise<ControlSnapshot> {
	const transaction = db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only')
	const tx = await transaction.execute()
	const column = async (statement: string) =>
		(await sql.raw<{ name: string }>(statement).execute(tx)).rows.map(({ name }) => name)
	return {
		migrations: await column('select name from kysely_migration order by name'),
		tables: await column(
			`select table_name as name from information_schema.tables where table_schema = current_schema()
				and table_type = 'BASE TABLE' and table_name not like 'kysely\\_%' order by table_name`,
		),
		rows: async function* (table) {
			await sql`declare copied no scroll cursor for select * from ${sql.table(table)}`.execute(tx)
			for (;;) {
				const { rows } = await sql.raw<ControlRow>(`fetch ${batchRows} from copied`).execute(tx)
				if (rows.length > 0) yield rows
				if (rows.length < batchRows) break
			}
			await sql`close copied`.execute(tx)
		},
		close: async () => void (await tx.rollback().execute()),
	}
}

interface ControlCopy {
	migrations: readonly string[]
	tables: readonly string[]
	rows(table: string): AsyncIterable<ControlRow[]>
}

/** PostgreSQL allows 65,535 values per statement, SQLite half of that. */
const maxValues = 30_000

/**
 * Fills an empty store, of either kind, with copied tables: the schema of the copy and all rows in one transaction, so that a kill
 * leaves the store empty. Throws when the store is not empty or a newer program made the copy.
 */
export async function loadControlStore(store: ControlStore, copy: ControlCopy): Promise<void> {
	await requireEmptyControlStore(store)
	requireKnownMigrations(copy.migrations)
	await store.db.transaction().execute(async (tx) => {
		await makeSchemaIn(tx, copy.migrations)
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
	const step = Math.max(1, Math.floor(maxValues / Math.max(1, width)))
	for (let from = 0; from < rows.length; from += step)
		await tx
			.insertInto(table as never)
			.values(rows.slice(from, from + step) as never)
			.execute()
}

/** Tables are filled in any order, so references are checked at the end; returns that check. */
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
