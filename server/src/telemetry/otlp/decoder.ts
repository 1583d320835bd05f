import { Worker } from 'node:worker_threads'
import { freeBytes } from '../../platform/free-bytes.ts'
import { type BodyForm, type DecodedBody, decodeBody } from './decode-body.ts'
import type { DecodeJob, DecodeResult } from './decode-thread.ts'
import { type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import { Malformed } from './wire-reader.ts'

/**
 * Larger bodies are decoded in a thread of their own. At 7 µs a span (21 µs from JSON) one of this size holds the
 * event loop for under 2 ms (3 ms), and handing it over would cost more than it saves.
 */
export const inlineUpToBytes = 128 * 1024
/** Where a workspace has rules of its own, which may cost a hundred times as much. */
const inlineWithRulesUpToBytes = 4096

interface Waiting {
	resolve(decoded: DecodedBody): void
	reject(error: Error): void
}

/** Decodes bodies without holding the event loop. */
export class Decoder {
	#thread: Worker | null = null
	readonly #waiting = new Map<number, Waiting>()
	#nextId = 1

	/** The body is not to be used afterwards: its memory moves to another thread, or is freed. Throws `Malformed` or `ExpandsTooFar`. */
	async decode(body: Buffer<ArrayBuffer>, form: BodyForm, options: DecodeOptions): Promise<DecodedBody> {
		const inlineUpTo = options.rules ? inlineWithRulesUpToBytes : inlineUpToBytes
		if (body.length <= inlineUpTo) return decodeHere(body, form, options)
		this.#thread ??= this.#start()
		const job: DecodeJob = { id: this.#nextId++, body, form, options }
		const thread = this.#thread
		return new Promise((resolve, reject) => {
			this.#waiting.set(job.id, { resolve, reject })
			thread.postMessage(job, [body.buffer])
		})
	}

	async close(): Promise<void> {
		await this.#thread?.terminate()
	}

	#start(): Worker {
		const thread = new Worker(new URL('./decode-thread.ts', import.meta.url))
		thread.unref()
		thread.on('message', (result: DecodeResult) => this.#settle(result))
		thread.once('error', (error) => this.#failAll(error))
		thread.once('exit', () => {
			this.#thread = null
			this.#failAll(new Error('The decoding thread ended.'))
		})
		return thread
	}

	#settle(result: DecodeResult): void {
		const waiting = this.#waiting.get(result.id)
		this.#waiting.delete(result.id)
		if (!waiting) return
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
