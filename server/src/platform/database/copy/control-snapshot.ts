import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { ControlStore } from '../database.ts'
import { fileOf } from '../snapshot.ts'

/** A row by its column names: text, numbers and null only. */
export type ControlRow = Record<string, string | number | null>

/** All tables as of one moment, whatever is written meanwhile. Reads hold up nobody. */
export interface ControlSnapshot {
	/** The names of the migrations that made the tables. */
	migrations: string[]
	tables: string[]
	rows(table: string): AsyncIterable<ControlRow[]>
	close(): Promise<void>
}

const batchRows = 500

export function openControlSnapshot(store: ControlStore): Promise<ControlSnapshot> {
	return store.kind === 'sqlite' ? openSqliteSnapshot(store) : openPostgresSnapshot(store)
}

/** A connection of its own: a transaction on the store's would hold up everybody. */
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
	// The first read fixes the moment.
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
		// Reading is synchronous: others get their turn between two batches.
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
