import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ControlStore, DatabaseTransaction } from '../database/index.ts'
import { Problem } from '../errors.ts'
import type { Log } from '../log.ts'
import { dropPreviousMasterKey, readMasterKeys, replaceMasterKey } from './master-key-file.ts'
import { countOlder, resealAll } from './reseal.ts'
import type { Keyring } from './seal.ts'
import { findRotation, type RotationRow, saveRotation, updateRotation } from './sealed-row-repository.ts'

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

	/** Has other processes told that the file of the master key has changed, before a secret is sealed by it. */
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
