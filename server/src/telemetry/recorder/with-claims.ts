import { type Processes, primary, singleProcess } from '../../platform/processes/processes.ts'
import { keptMs, maxKeys } from './recorded-keys.ts'
import type { EncodedRows, Recorder } from './recorder.ts'

const claimKey = 'recorded-keys.claim'
const knownKeys = 'recorded-keys.known'
const isRecorded = 'recorded-keys.is-recorded'

/** Whether the caller must record rows under a key, or another process has recorded them. */
type Claim = 'yours' | 'recorded'

interface Holder {
	process: number
	atMs: number
}

interface ClaimsOptions {
	processes: Processes
	nowMs: () => number
	/**
	 * In the primary: resolves when the workers have reported the keys in their logs, or could not be started. Nobody records a key
	 * before.
	 */
	othersReported: Promise<void>
}

/** Which process records the rows of a key. The primary keeps this for all processes. */
class KeyClaims {
	readonly #processes: Processes
	readonly #nowMs: () => number
	readonly #has: (key: string) => Promise<boolean>
	readonly #othersReported: Promise<void>
	/** Oldest first. */
	readonly #holders = new Map<string, Holder>()

	/** `has` resolves when the rows under a key that this process records are on disk, or it is certain that there are none. */
	constructor({ processes, nowMs, othersReported }: ClaimsOptions, has: (key: string) => Promise<boolean>) {
		this.#processes = processes
		this.#nowMs = nowMs
		this.#has = has
		this.#othersReported = othersReported
		processes.answer(isRecorded, has)
		processes.answer(claimKey, (key: string, from) => this.#claimFor(key, from))
		processes.answer(knownKeys, (keys: string[], from) => this.#hold(keys, from))
	}

	/** Rejects with a `Problem` when the process that records the rows does not answer. */
	claim(key: string): Promise<Claim> {
		const { number } = this.#processes
		return number === primary ? this.#claimFor(key, primary) : this.#processes.ask(primary, claimKey, key)
	}

	/** Reports the keys that the log of this process has from an earlier run. */
	tell(keys: string[]): void {
		if (this.#processes.number === primary) this.#hold(keys, primary)
		else this.#processes.tell(primary, knownKeys, keys)
	}

	async #claimFor(key: string, from: number): Promise<Claim> {
		await this.#othersReported
		for (;;) {
			const holder = this.#holders.get(key)
			if (!holder || holder.process === from) {
				this.#hold([key], from)
				return 'yours'
			}
			if (await this.#hasRecorded(holder.process, key)) return 'recorded'
			// Recording failed there. Another process may have claimed the key meanwhile.
			if (this.#holders.get(key) === holder) this.#holders.delete(key)
		}
	}

	#hasRecorded(process: number, key: string): Promise<boolean> {
		return process === primary ? this.#has(key) : this.#processes.ask(process, isRecorded, key)
	}

	#hold(keys: readonly string[], process: number): void {
		for (const key of keys) {
			this.#holders.delete(key)
			this.#holders.set(key, { process, atMs: this.#nowMs() })
		}
		const oldestMs = this.#nowMs() - keptMs
		for (const [key, { atMs }] of this.#holders) {
			if (atMs > oldestMs && this.#holders.size <= maxKeys) return
			this.#holders.delete(key)
		}
	}
}

/**
 * A recorder that checks with the other processes whether one of them has recorded the rows of a key, because an exporter's retry
 * may reach any of them.
 */
export function withClaims(recorder: Recorder, options: ClaimsOptions): Recorder {
	if (options.processes === singleProcess) return recorder
	const running = new Map<string, Promise<boolean>>()
	const has = async (key: string) => {
		const recording = running.get(key)
		if (recording === undefined) return recorder.knows(key)
		return recording.then(
			() => true,
			() => false,
		)
	}
	const claims = new KeyClaims(options, has)
	claims.tell(recorder.recordedKeys())
	const record = async (rows: EncodedRows, key: string) =>
		(await claims.claim(key)) === 'yours' && (await recorder.append(rows))
	const once = (rows: EncodedRows, key: string) => {
		const before = running.get(key)
		if (before !== undefined) return before.then(() => false)
		const recording = record(rows, key).finally(() => running.delete(key))
		running.set(key, recording)
		return recording
	}
	return {
		append: (rows) =>
			rows.key === undefined || rows.count === 0 ? recorder.append(rows) : once(rows, rows.key),
		knows: (key) => recorder.knows(key),
		recordedKeys: () => recorder.recordedKeys(),
		onRecorded: (listener, wants) => recorder.onRecorded(listener, wants),
		stats: () => recorder.stats(),
		onStored: (listener) => recorder.onStored(listener),
		takeArrived: (...of) => recorder.takeArrived(...of),
		newest: (...of) => recorder.newest(...of),
		storeSoon: () => recorder.storeSoon(),
		watched: () => recorder.watched(),
		snapshot: (work) => recorder.snapshot(work),
		close: (graceMs) => recorder.close(graceMs),
	}
}
