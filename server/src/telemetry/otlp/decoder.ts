import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
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
