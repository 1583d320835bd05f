import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Problem } from '../../platform/errors.ts'
import { freeBytes } from '../../platform/free-bytes.ts'
import { transcodeLogsJson, transcodeLogsProtobuf } from '../logs/transcode-logs.ts'
import { transcodeMetricsJson, transcodeMetricsProtobuf } from '../metrics/transcode-metrics.ts'
import { type Decoded, type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import type { BodyForm, Encoding, Signal } from './signals.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'
import { Malformed } from './wire-reader.ts'

export interface DecodedBody extends Decoded {
	/** Hash of the inflated body, which is the same in an exporter's retry. */
	digest: string
}

type Transcode = (body: Buffer, options: DecodeOptions) => Decoded

const transcoders: Readonly<Record<Signal, Readonly<Record<Encoding, Transcode>>>> = {
	traces: { protobuf: transcodeProtobuf, json: transcodeJson },
	metrics: { protobuf: transcodeMetricsProtobuf, json: transcodeMetricsJson },
	logs: { protobuf: transcodeLogsProtobuf, json: transcodeLogsJson },
}

/** Decodes a body in the calling thread. Throws `Malformed` or `ExpandsTooFar`. */
export function decodeBody(
	body: Buffer,
	{ signal, encoding }: BodyForm,
	options: DecodeOptions,
): DecodedBody {
	return { ...transcoders[signal][encoding](body, options), digest: hash('sha256', body, 'base64') }
}

/**
 * Larger bodies are decoded in worker threads. At 4 µs per small span, a body of this size blocks the event loop for under a
 * millisecond; handing it over (two messages, 30 µs and more) would cost a good part of what it saves.
 */
const inlineUpToBytes = 32 * 1024
/** The limit if a workspace has its own rules, which may cost a hundred times as much. */
const inlineWithRulesUpToBytes = 4096

/** A body that would wait longer for its turn is refused: exporters give up after 10 s, and some retry only a few times. */
const maxTurnMs = 1000
const maxRetryS = 30
/** Assumed rate, that of a slow machine, until one is measured; the rate is then that of about the last this many bytes. */
const firstMeasured = { bytes: 4 * 1024 * 1024, ms: 400 }
const measuredBytes = 16 * 1024 * 1024

/**
 * The queue of bodies for the decoding threads. When more arrives than is decoded, a sender is refused at once with the time to
 * retry, instead of waiting until its exporter times out and sends the same again. Small bodies are decoded in the calling thread.
 */
export class DecodeQueue {
	#waitingBytes = 0
	#measured = firstMeasured
	#lastMs = 0
	/** Refused bytes, by the second of the clock for which their senders were told to retry. */
	readonly #returning = new Map<number, number>()

	/**
	 * For a body that is about to arrive or has arrived; `bytes` is 0 if its length is unknown. Throws Problem 429 if too much waits
	 * before it.
	 */
	requireTurn(bytes: number): void {
		if (bytes > 0 && bytes <= inlineUpToBytes) return
		const rate = this.#measured.bytes / this.#measured.ms
		if (this.#waitingBytes / rate <= maxTurnMs) return
		const nowS = performance.now() / 1000
		const owed = this.#returningFrom(nowS)
		const untilRoomS = (this.#waitingBytes + owed + bytes) / rate / 1000 - maxTurnMs / 1000
		const retryAfterS = Math.ceil(Math.min(maxRetryS, Math.max(1, untilRoomS)))
		const dueS = Math.floor(nowS) + retryAfterS
		this.#returning.set(dueS, (this.#returning.get(dueS) ?? 0) + bytes)
		throw new Problem('too_many_requests', 'More telemetry waits to be decoded than the processor can do.', {
			retryAfterS,
		})
	}

	async run<Result>(bytes: number, decode: () => Promise<Result>): Promise<Result> {
		if (bytes <= inlineUpToBytes) return decode()
		this.#waitingBytes += bytes
		const beginMs = performance.now()
		try {
			const result = await decode()
			this.#measure(bytes, beginMs)
			return result
		} finally {
			this.#waitingBytes -= bytes
		}
	}

	/** Refused bytes that are expected to return from this second on. */
	#returningFrom(nowS: number): number {
		let bytes = 0
		for (const [dueS, held] of this.#returning) {
			if (dueS < nowS) this.#returning.delete(dueS)
			else bytes += held
		}
		return bytes
	}

	/**
	 * Measures the rate from the time since the previous body was done, for all threads together. A pause of the machine counts as at
	 * most one turn.
	 */
	#measure(bytes: number, beginMs: number): void {
		const nowMs = performance.now()
		const ms = Math.min(maxTurnMs, nowMs - Math.max(beginMs, this.#lastMs))
		this.#lastMs = nowMs
		const sum = { bytes: this.#measured.bytes + bytes, ms: this.#measured.ms + ms }
		const keep = Math.min(1, measuredBytes / sum.bytes)
		this.#measured = { bytes: sum.bytes * keep, ms: sum.ms * keep }
	}
}

export interface DecodeJob {
	id: number
	body: Uint8Array<ArrayBuffer>
	form: BodyForm
	options: DecodeOptions
}

interface Rows {
	rows: Uint8Array<ArrayBuffer>
}

export type DecodeResult =
	| { id: number; decoded: Omit<DecodedBody, 'rows' | 'calls'> & Rows & { calls?: Rows & { count: number } } }
	| { id: number; malformed: string }
	| { id: number; expandsTooFar: true }
	| { id: number; failure: string }

interface Waiting {
	resolve(decoded: DecodedBody): void
	reject(error: Error): void
	/** Size of the body. */
	bytes: number
}

/**
 * One core is needed for the thread that accepts and answers. With more threads than this the log, which is one file, is the
 * bottleneck.
 */
const maxThreads = 8
const threadsAllowed = Math.max(1, Math.min(maxThreads, availableParallelism() - 1))

/** Decodes bodies without blocking the event loop, in as many threads as the cores allow and the work needs. */
export class Decoder {
	/** The bodies for its threads. */
	readonly queue = new DecodeQueue()
	readonly #max: number
	readonly #threads: DecodingThread[] = []

	constructor(max = threadsAllowed) {
		this.#max = max
	}

	/** Number of running threads. */
	get threads(): number {
		return this.#threads.length
	}

	/**
	 * The body must not be used afterwards, because its memory is transferred to another thread or freed. Throws `Malformed` or
	 * `ExpandsTooFar`.
	 */
	async decode(body: Buffer<ArrayBuffer>, form: BodyForm, options: DecodeOptions): Promise<DecodedBody> {
		const inlineUpTo = options.rules ? inlineWithRulesUpToBytes : inlineUpToBytes
		if (body.length > inlineUpTo)
			return this.queue.run(body.length, () => this.#leastBusy().decode(body, form, options))
		try {
			return decodeBody(body, form, options)
		} finally {
			freeBytes(body)
		}
	}

	async close(): Promise<void> {
		await Promise.all(this.#threads.map((thread) => thread.close()))
	}

	/** The thread with the fewest queued bytes; a new one if all are busy. */
	#leastBusy(): DecodingThread {
		const [leastBusy] = this.#threads.toSorted((a, b) => a.waitingBytes - b.waitingBytes)
		if (leastBusy && (leastBusy.waitingBytes === 0 || this.#threads.length >= this.#max)) return leastBusy
		const thread: DecodingThread = new DecodingThread(() => {
			this.#threads.splice(this.#threads.indexOf(thread), 1)
		})
		this.#threads.push(thread)
		return thread
	}
}

class DecodingThread {
	readonly #thread = new Worker(new URL('./decode-thread.ts', import.meta.url))
	readonly #waiting = new Map<number, Waiting>()
	#nextId = 1
	waitingBytes = 0

	constructor(onEnd: () => void) {
		this.#thread.unref()
		this.#thread.on('message', (result: DecodeResult) => this.#settle(result))
		this.#thread.once('error', (error) => this.#failAll(error))
		this.#thread.once('exit', () => {
			onEnd()
			this.#failAll(new Error('The decoding thread ended.'))
		})
	}

	decode(body: Buffer<ArrayBuffer>, form: BodyForm, options: DecodeOptions): Promise<DecodedBody> {
		const job: DecodeJob = { id: this.#nextId++, body, form, options }
		const bytes = body.length
		this.waitingBytes += bytes
		return new Promise((resolve, reject) => {
			this.#waiting.set(job.id, { resolve, reject, bytes })
			this.#thread.postMessage(job, [body.buffer])
		})
	}

	async close(): Promise<void> {
		await this.#thread.terminate()
	}

	#settle(result: DecodeResult): void {
		const waiting = this.#waiting.get(result.id)
		this.#waiting.delete(result.id)
		if (!waiting) return
		this.waitingBytes -= waiting.bytes
		if ('decoded' in result) {
			const { rows, calls, ...rest } = result.decoded
			const withCalls = calls && { calls: { ...calls, rows: bufferOf(calls.rows) } }
			waiting.resolve({ ...rest, ...withCalls, rows: bufferOf(rows) })
		} else if ('malformed' in result) waiting.reject(new Malformed(result.malformed))
		else if ('expandsTooFar' in result) waiting.reject(new ExpandsTooFar())
		else waiting.reject(new Error(result.failure))
	}

	#failAll(error: Error): void {
		for (const waiting of this.#waiting.values()) waiting.reject(error)
		this.#waiting.clear()
	}
}

const bufferOf = (rows: Uint8Array<ArrayBuffer>) => Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
