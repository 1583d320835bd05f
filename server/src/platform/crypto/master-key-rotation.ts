import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type {
	ControlSchema,
	ControlStore,
	Database,
	DatabaseTransaction,
	Queryable,
} from '../database/index.ts'
import { Problem } from '../errors.ts'
import type { Log } from '../log.ts'
import { dropPreviousMasterKey, readMasterKeys, replaceMasterKey } from './master-key-file.ts'
import type { Keyring } from './seal.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

export interface RotationDependencies {
	store: ControlStore
	ring: Keyring
	/** Whose `master.key` it is; null when the key comes from a setting. */
	dataDir: string | null
	clock: Clock
	log: Log
	/** How long a request may hold a value sealed with the old key before it writes it; 5 s by default. */
	settleMs?: number
}

/** What is known of the master key: never the key itself. */
export interface MasterKeyState {
	keyId: string
	source: 'file' | 'setting'
	rotation: RotationRow | null
}

/**
 * Replaces the master key while the program works. The new key lies on disk before it seals anything; the old one
 * opens until every secret has been sealed again and is then removed. Ends of the process at any moment are made good by
 * `resume`: two keys at the start mean that a rotation has not ended.
 */
export class MasterKeyRotation {
	readonly #deps: RotationDependencies
	#onFile = () => {}
	#running: Promise<void> | null = null
	#closing = false

	constructor(dependencies: RotationDependencies) {
		this.#deps = dependencies
	}

	/** Makes a new key and seals everything again in the background. Throws `conflict` with what to do instead. */
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

	/** Goes on with a rotation that has not ended; does nothing when there is none. */
	resume(): void {
		if (this.#running || this.#deps.ring.keyIds.length < 2) return
		this.#running = this.#run().finally(() => {
			this.#running = null
		})
	}

	/** Resolves when no rotation runs; how it ended is in `state`. */
	async settled(): Promise<void> {
		await this.#running
	}

	async state(): Promise<MasterKeyState> {
		const { ring, dataDir, store } = this.#deps
		const rotation = (await findRotation(store.db, ring.keyId)) ?? null
		return { keyId: ring.keyId, source: dataDir === null ? 'setting' : 'file', rotation }
	}

	/** Notifies other processes that the file of the master key has changed, before a secret is sealed by it. */
	onFile(listener: () => void): void {
		this.#onFile = listener
	}

	/** Takes the keys as another process has left them in the file. */
	reread(): void {
		const { dataDir, ring } = this.#deps
		if (dataDir === null) return
		const { newest, previous } = readMasterKeys(dataDir)
		ring.add(newest)
		if (!previous) ring.forgetOlder()
	}

	/** Stops after the running batch; the next start goes on. */
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

	/** False when it was stopped. */
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
			// What was sealed with the old key just before, but is written only now, is found by one more look.
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

/** Called with each batch, in its transaction. Returning false stops the work before the next one. */
type OnBatch = (tx: DatabaseTransaction, done: number) => Promise<boolean>

/**
 * Seals again with the ring's newest key whatever another one sealed, in batches of a transaction each. A value that
 * changed meanwhile is left alone, so that this never undoes a write. Returns how many it sealed, or null when stopped.
 */
async function resealAll({ db }: ControlStore, ring: Keyring, onBatch: OnBatch): Promise<number | null> {
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

/** Notes a rotation that starts or goes on: what is left counts on top of what was done. */
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
