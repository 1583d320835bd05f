import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Problem } from '../../platform/errors.ts'
import { freeBytes } from '../../platform/free-bytes.ts'
import { type BodyForm, type DecodedBody, decodeBody } from './decode-body.ts'
import type { DecodeJob, DecodeResult } from './decode-thread.ts'
import { type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import { Malformed } from './wire-reader.ts'

/**
 * Larger bodies are decoded in threads of their own. At 4 µs a small span one of this size holds the event loop for
 * under a millisecond, and handing it over (two messages, 30 µs and more) would cost a good part of what it saves.
 */
const inlineUpToBytes = 32 * 1024
/** Where a workspace has rules of its own, which may cost a hundred times as much. */
const inlineWithRulesUpToBytes = 4096

/** What would wait longer than this for its turn is refused: exporters give up after 10 s, and some try a few times only. */
const longestTurnMs = 1000
const longestRetryS = 30
/** As if so much had been decoded at a slow machine's rate, until there is more to go by; then it goes by about the last so many bytes. */
const firstMeasured = { bytes: 4 * 1024 * 1024, ms: 400 }
const measuredBytes = 16 * 1024 * 1024

/**
 * The bodies that wait for a decoding thread. Whoever sends more than is decoded is told so at once and comes again when there is room
 * for it, in place of waiting until the exporter gives up and sends the same again. Small bodies are decoded where they arrive.
 */
export class DecodeQueue {
	#waitingBytes = 0
	#measured = firstMeasured
	#lastMs = 0
	/** Bytes that were refused, by the second of the clock in which they were asked to come again. */
	readonly #returning = new Map<number, number>()

	/** For a body that is to come, or has come; 0 where its length is not known. Throws Problem 429 where too much waits before it. */
	requireTurn(bytes: number): void {
		if (bytes > 0 && bytes <= inlineUpToBytes) return
		const rate = this.#measured.bytes / this.#measured.ms
		if (this.#waitingBytes / rate <= longestTurnMs) return
		const nowS = performance.now() / 1000
		const owed = this.#returningFrom(nowS)
		const untilRoomS = (this.#waitingBytes + owed + bytes) / rate / 1000 - longestTurnMs / 1000
		const retryAfterS = Math.ceil(Math.min(longestRetryS, Math.max(1, untilRoomS)))
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

	/** Bytes that are still to come back. */
	#returningFrom(nowS: number): number {
		let bytes = 0
		for (const [dueS, held] of this.#returning) {
			if (dueS < nowS) this.#returning.delete(dueS)
			else bytes += held
		}
		return bytes
	}

	/** By the time since the body before it was done, with all threads together; of a machine that stood still no more than a turn. */
	#measure(bytes: number, beginMs: number): void {
		const nowMs = performance.now()
		const ms = Math.min(longestTurnMs, nowMs - Math.max(beginMs, this.#lastMs))
		this.#lastMs = nowMs
		const sum = { bytes: this.#measured.bytes + bytes, ms: this.#measured.ms + ms }
		const keep = Math.min(1, measuredBytes / sum.bytes)
		this.#measured = { bytes: sum.bytes * keep, ms: sum.ms * keep }
	}
}

interface Waiting {
	resolve(decoded: DecodedBody): void
	reject(error: Error): void
	/** Of the body. */
	bytes: number
}

/** One core is for the thread that accepts and answers; with more than this the log, which is one file, is what is slow. */
const mostThreads = 8
const threadsAllowed = Math.max(1, Math.min(mostThreads, availableParallelism() - 1))

/** Decodes bodies without holding the event loop, in as many threads as cores allow and work asks for. */
export class Decoder {
	readonly #most: number
	readonly #threads: DecodingThread[] = []

	constructor(most = threadsAllowed) {
		this.#most = most
	}

	/** How many threads there are. */
	get threads(): number {
		return this.#threads.length
	}

	/** The body is not to be used afterwards: its memory moves to another thread, or is freed. Throws `Malformed` or `ExpandsTooFar`. */
	async decode(body: Buffer<ArrayBuffer>, form: BodyForm, options: DecodeOptions): Promise<DecodedBody> {
		const inlineUpTo = options.rules ? inlineWithRulesUpToBytes : inlineUpToBytes
		if (body.length <= inlineUpTo) return decodeHere(body, form, options)
		return this.#leastBusy().decode(body, form, options)
	}

	async close(): Promise<void> {
		await Promise.all(this.#threads.map((thread) => thread.close()))
	}

	/** The thread with the fewest bytes before it; a new one where all have some. */
	#leastBusy(): DecodingThread {
		const [least] = this.#threads.toSorted((a, b) => a.waitingBytes - b.waitingBytes)
		if (least && (least.waitingBytes === 0 || this.#threads.length >= this.#most)) return least
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
			const told = calls && { calls: { ...calls, rows: bufferOf(calls.rows) } }
			waiting.resolve({ ...rest, ...told, rows: bufferOf(rows) })
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

function decodeHere(body: Buffer<ArrayBuffer>, form: BodyForm, options: DecodeOptions): DecodedBody {
	try {
		return decodeBody(body, form, options)
	} finally {
		freeBytes(body)
	}
}
