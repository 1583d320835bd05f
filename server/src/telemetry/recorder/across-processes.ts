import type { Clock } from '../../platform/clock.ts'
import { type Processes, primary, processGone, singleProcess } from '../../platform/processes/processes.ts'
import { keptMs, maxKeys } from './recorded-keys.ts'
import type { EncodedRows, LogRecorder, LogSubject, Recorder, RecorderStats } from './recorder.ts'

const askShed = 'recorder.shed'
/** The engine normally takes the content of a log within a second or so. What is not stored by then is tried again later. */
const waitMs = 5000

interface ShedDependencies {
	recorder: Pick<LogRecorder, 'shedSubject'>
	feed: { catchUp(): Promise<void> }
	processes: Processes
}

/**
 * `LogRecorder.shedSubject` for the logs of all processes (`count` in all), after each has seen every earlier change. Rejects with
 * Problem `store_unavailable` while one of them does not answer.
 */
export function openShedOfAll(
	{ recorder, feed, processes }: ShedDependencies,
	count: number,
): (subject: LogSubject) => Promise<boolean> {
	const shed = async (subject: LogSubject) => {
		await feed.catchUp()
		return recorder.shedSubject(subject, waitMs)
	}
	processes.answer(askShed, shed)
	return async (subject) => {
		const others = processes.others()
		if (others.length < count - 1) throw processGone()
		const asked = others.map((number) => processes.ask<boolean>(number, askShed, subject))
		return (await Promise.all([shed(subject), ...asked])).every((isGone) => isGone)
	}
}

const askStats = 'recorder.stats'

/**
 * The combined stats of the logs of all processes (`count` in all). Rejects with Problem `store_unavailable` while one of them does
 * not answer, because the content of its log is then unknown.
 */
export function openStatsOfAll(
	recorder: Pick<Recorder, 'stats'>,
	processes: Processes,
	count: number,
): () => Promise<RecorderStats> {
	processes.answer(askStats, () => recorder.stats())
	return async () => {
		const others = processes.others()
		if (others.length < count - 1) throw processGone()
		const asked = others.map((number) => processes.ask<RecorderStats>(number, askStats))
		return [recorder.stats(), ...(await Promise.all(asked))].reduce(addUp)
	}
}

/** Whether everything recorded before a time (ms since 1970) is in the store. */
export async function isShipped(
	recorder: { stats(): RecorderStats | Promise<RecorderStats> },
	clock: Clock,
	atMs: number,
): Promise<boolean> {
	const { pendingRows, oldestPendingMs } = await recorder.stats()
	return pendingRows === 0 || clock.nowMs() - oldestPendingMs > atMs
}

function addUp(a: RecorderStats, b: RecorderStats): RecorderStats {
	return {
		acknowledgedRows: a.acknowledgedRows + b.acknowledgedRows,
		storedRows: a.storedRows + b.storedRows,
		pendingRows: a.pendingRows + b.pendingRows,
		quarantinedRows: a.quarantinedRows + b.quarantinedRows,
		damagedRecords: a.damagedRecords + b.damagedRecords,
		damagedRows: a.damagedRows + b.damagedRows,
		openCalls: a.openCalls + b.openCalls,
		walBytes: a.walBytes + b.walBytes,
		walMaxBytes: a.walMaxBytes + b.walMaxBytes,
		oldestPendingMs: Math.max(a.oldestPendingMs, b.oldestPendingMs),
		lastFlushMs: Math.max(a.lastFlushMs, b.lastFlushMs),
		writeFailure: a.writeFailure ?? b.writeFailure,
		refusal: a.refusal ?? b.refusal,
		shipFailure: a.shipFailure ?? b.shipFailure,
	}
}

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
