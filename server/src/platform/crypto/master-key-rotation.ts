import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import {
	type ControlStore,
	type Database,
	type DatabaseTransaction,
	type Queryable,
	transact,
} from '../database/database.ts'
import type { ControlSchema } from '../database/schema.ts'
import { Problem } from '../errors.ts'
import type { Log } from '../log.ts'
import { dropPreviousMasterKey, readMasterKeys, replaceMasterKey } from './master-key-file.ts'
import type { Keyring } from './seal.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

export interface RotationDependencies {
	store: ControlStore
	ring: Keyring
	/** The directory of `master.key`; null when the key comes from a setting. */
	dataDir: string | null
	clock: Clock
	log: Log
	/** The longest time between sealing a value with the old key and writing it; 5 s by default. */
	settleMs?: number
}

/** The status of the master key; never the key itself. */
export interface MasterKeyState {
	keyId: string
	source: 'file' | 'setting'
	rotation: RotationRow | null
}

/**
 * Replaces the master key while the program runs. The new key is on disk before it seals anything; the old one still opens until
 * every secret has been resealed, and is then removed. `resume` continues after a crash at any moment: two keys at the start mean
 * that a rotation has not ended.
 */
export class MasterKeyRotation {
	readonly #deps: RotationDependencies
	#onFile = () => {}
	#running: Promise<void> | null = null
	#closing = false

	constructor(dependencies: RotationDependencies) {
		this.#deps = dependencies
	}

	/** Creates a new key and reseals everything in the background. Throws `conflict`, with what to do instead. */
	start(): void {
		const { dataDir, ring } = this.#deps
		if (dataDir === null) throw new Problem('conflict', givenBySetting)
		if (this.#running || ring.keyIds.length > 1)
			throw new Problem('conflict', 'A rotation of the master key is running.')
		const key = randomBytes(32)
		replaceMasterKey(dataDir, key)
		this.#onFile()
		ring.add(key)
		this.resume()
	}

	/** Continues an unfinished rotation; does nothing if there is none. */
	resume(): void {
		if (this.#running || this.#deps.ring.keyIds.length < 2) return
		this.#running = this.#run().finally(() => {
			this.#running = null
		})
	}

	/** Resolves when no rotation runs; its result is in `state`. */
	async settled(): Promise<void> {
		await this.#running
	}

	async state(): Promise<MasterKeyState> {
		const { ring, dataDir, store } = this.#deps
		const rotation = (await findRotation(store.db, ring.keyId)) ?? null
		return { keyId: ring.keyId, source: dataDir === null ? 'setting' : 'file', rotation }
	}

	/** Notifies other processes that the key file has changed, before the new key seals anything. */
	onFile(listener: () => void): void {
		this.#onFile = listener
	}

	/** Reloads the keys that another process wrote to the file. */
	reread(): void {
		const { dataDir, ring } = this.#deps
		if (dataDir === null) return
		const { newest, previous } = readMasterKeys(dataDir)
		ring.add(newest)
		if (!previous) ring.forgetOlder()
	}

	/** Stops after the current batch; the next start continues. */
	async close(): Promise<void> {
		this.#closing = true
		await this.#running
	}

	async #run(): Promise<void> {
		const { log, store, ring } = this.#deps
		try {
			if (await this.#resealUntilNoneIsLeft()) await this.#finish()
		} catch (error) {
			log.error({ err: error }, 'the rotation of the master key stopped; the next start tries again')
			const note = { error: error instanceof Error ? error.message : String(error) }
			await updateRotation(store.db, ring.keyId, note).catch(() => {})
		}
	}

	/** False if it was stopped. */
	async #resealUntilNoneIsLeft(): Promise<boolean> {
		const { store, ring, clock, settleMs = 5000 } = this.#deps
		const total = await countOlder(store, ring)
		await saveRotation(store.db, { id: ring.keyId, total, nowMs: clock.nowMs() })
		const note = async (tx: DatabaseTransaction, done: number) => {
			if (done > 0) await updateRotation(tx, ring.keyId, { add: done })
			return !this.#closing
		}
		for (;;) {
			if ((await resealAll(store, ring, note)) === null) return false
			// A value sealed with the old key shortly before, but written only now, is found by one more pass.
			await this.#pause(settleMs)
			if (this.#closing) return false
			if ((await countOlder(store, ring)) === 0) return true
		}
	}

	async #finish(): Promise<void> {
		const { store, ring, dataDir, clock, log } = this.#deps
		await updateRotation(store.db, ring.keyId, { finishedAtMs: clock.nowMs() })
		if (dataDir === null)
			return log.info('every secret is sealed by the new master key: remove SIGNALBOX_MASTER_KEY_PREVIOUS')
		dropPreviousMasterKey(dataDir)
		this.#onFile()
		ring.forgetOlder()
		log.info({ key_id: ring.keyId }, 'every secret is sealed by the new master key; the old one is removed')
	}

	async #pause(ms: number): Promise<void> {
		for (let left = ms; left > 0 && !this.#closing; left -= 100)
			await new Promise((resolve) => setTimeout(resolve, Math.min(left, 100)))
	}
}

const givenBySetting =
	'The master key is given by SIGNALBOX_MASTER_KEY. Set a new one there and the present one as SIGNALBOX_MASTER_KEY_PREVIOUS, then restart; the log says when the latter can be removed.'

const batchRows = 200

/** Called with each batch, in its transaction. Returning false stops before the next batch. */
type OnBatch = (tx: DatabaseTransaction, done: number) => Promise<boolean>

/**
 * Reseals with the ring's newest key all values that another key sealed, one transaction per batch. A value that changed meanwhile
 * is skipped, so that no write is undone. Returns how many it resealed, or null when stopped.
 */
async function resealAll({ db }: ControlStore, ring: Keyring, onBatch: OnBatch): Promise<number | null> {
	let done = 0
	for (const column of sealedColumns) {
		for (let after: string | null = ''; after !== null; ) {
			const from: string = after
			const batch = await transact(db, async (tx) => {
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

/** The number of secrets that are not sealed by the newest key. */
async function countOlder({ db }: ControlStore, ring: Keyring): Promise<number> {
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

type RotationRow = ControlSchema['master_key_rotations']

function findRotation(db: Queryable, keyId: string): Promise<RotationRow | undefined> {
	return db.selectFrom('master_key_rotations').selectAll().where('id', '=', keyId).executeTakeFirst()
}

/** Records a rotation that starts or resumes: the total is what is done plus what is left. */
async function saveRotation(
	db: Queryable,
	{ id, total, nowMs }: { id: string; total: number; nowMs: number },
): Promise<void> {
	const fresh = { id, state: 'running', done: 0, total, error: null, started_at: nowMs, finished_at: null }
	await db
		.insertInto('master_key_rotations')
		.values(fresh)
		.onConflict((conflict) =>
			conflict.column('id').doUpdateSet((eb) => ({
				state: 'running',
				error: null,
				total: eb('master_key_rotations.done', '+', total),
			})),
		)
		.execute()
}

async function updateRotation(
	db: Queryable,
	keyId: string,
	{ add = 0, error, finishedAtMs }: { add?: number; error?: string; finishedAtMs?: number },
): Promise<void> {
	await db
		.updateTable('master_key_rotations')
		.set((eb) => ({
			done: eb('done', '+', add),
			...(error !== undefined && { error }),
			...(finishedAtMs !== undefined && { state: 'done', finished_at: finishedAtMs, error: null }),
		}))
		.where('id', '=', keyId)
		.execute()
}
