import { sql } from 'kysely'
import type { ControlStore, Database, DatabaseTransaction } from '../database/index.ts'
import type { Keyring } from './seal.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

const batchRows = 200

/** Told of each batch, in its transaction. Returning false stops the work before the next one. */
export type OnBatch = (tx: DatabaseTransaction, done: number) => Promise<boolean>

/**
 * Seals again with the ring's newest key whatever another one sealed, in batches of a transaction each. A value that
 * changed meanwhile is left alone, so that this never undoes a write. Returns how many it sealed, or null when stopped.
 */
export async function resealAll(
	{ db }: ControlStore,
	ring: Keyring,
	onBatch: OnBatch,
): Promise<number | null> {
	let done = 0
	for (const column of sealedColumns) {
		for (let after: string | null = ''; after !== null; ) {
			const from: string = after
			const batch = await db.transaction().execute(async (tx) => {
				const { changed, last } = await resealBatch(tx, ring, column, from)
				return { changed, last, goesOn: await onBatch(tx, changed) }
			})
			done += batch.changed
			if (!batch.goesOn) return null
			after = batch.last
		}
	}
	return done
}

/** How many secrets another key than the newest sealed. */
export async function countOlder({ db }: ControlStore, ring: Keyring): Promise<number> {
	let older = 0
	for (const column of sealedColumns) {
		for (let after: string | null = ''; after !== null; ) {
			const rows: Row[] = await readBatch(db, column, after)
			older += rows.filter((row) => !ring.isCurrent(row[column.column] as string)).length
			after = lastOf(rows)
		}
	}
	return older
}

type Row = Record<string, string>

async function resealBatch(tx: DatabaseTransaction, ring: Keyring, sealed: SealedColumn, after: string) {
	const { column, table } = sealed
	const rows = await readBatch(tx, sealed, after)
	let changed = 0
	for (const row of rows) {
		const before = row[column] as string
		if (ring.isCurrent(before)) continue
		const context = sealed.contextOf(row)
		const renewed = ring.seal(openOrExplain(ring, before, sealed, row), context)
		const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${renewed}
			where id = ${row.id} and ${sql.ref(column)} = ${before}`.execute(tx)
		changed += Number(numAffectedRows ?? 0)
	}
	return { changed, last: lastOf(rows) }
}

function openOrExplain(ring: Keyring, text: string, sealed: SealedColumn, row: Row): string {
	try {
		return ring.open(text, sealed.contextOf(row))
	} catch (error) {
		const place = `${sealed.table}.${sealed.column} of ${row.id}`
		throw new Error(`A secret does not open with any key of this instance: ${place}.`, { cause: error })
	}
}

async function readBatch(
	db: Database | DatabaseTransaction,
	{ table, column }: SealedColumn,
	after: string,
): Promise<Row[]> {
	const found = await sql<Row>`select * from ${sql.table(table)}
		where id > ${after} and ${sql.ref(column)} is not null order by id limit ${batchRows}`.execute(db)
	return found.rows
}

function lastOf(rows: readonly Row[]): string | null {
	return rows.length < batchRows ? null : (rows.at(-1)?.id ?? null)
}
