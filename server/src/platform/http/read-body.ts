import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { ErrorObject } from 'ajv'
import type { Static, TObject } from 'typebox'
import { Problem, tooLarge } from '../errors.ts'
import { LaneRequest } from '../http1/lane-request.ts'
import { memoryBytes } from '../resources.ts'
import { createValidatorCompiler, refuseBadText, toInvalidRequest } from './validation.ts'

/**
 * Reads a whole body of at most `limitBytes`; where possible it refuses by Content-Length before the first byte. With a holder, the
 * body counts against the memory for bodies. Rejects with Problem 400, 413, 429 or 503.
 */
export function readBody(request: IncomingMessage, limitBytes: number, holder?: Holder): Promise<Buffer> {
	const announced = Number(request.headers['content-length'] ?? 0)
	if (announced > limitBytes) return Promise.reject(tooLarge(limitBytes))
	try {
		const whole = takeBody(request, limitBytes, holder)
		if (whole) return Promise.resolve(whole)
	} catch (problem) {
		return Promise.reject(problem)
	}
	return new Promise((resolve, reject) => {
		const memory = holder?.memory ?? bodyMemory
		if (holder) memory.requireRoom(holder.owner, announced)
		let held = 0
		holder?.response.once('close', () => memory.count(holder.owner, -held))
		const chunks: Buffer[] = []
		let size = 0
		const refuse = (problem: unknown) => {
			request.removeAllListeners('data')
			request.resume()
			reject(problem)
		}
		request.on('data', (chunk: Buffer) => {
			size += chunk.length
			if (size > limitBytes) return refuse(tooLarge(limitBytes))
			try {
				if (holder) memory.requireRoom(holder.owner, chunk.length)
			} catch (problem) {
				return refuse(problem)
			}
			chunks.push(chunk)
			if (!holder || holder.response.destroyed) return
			held += chunk.length
			memory.count(holder.owner, chunk.length)
		})
		request.on('end', () =>
			resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)),
		)
		// A client that disconnects is not an internal fault.
		request.on('error', (error) => reject(cutOff(error)))
		request.on('close', () => {
			// After a complete body this would only cost an error with its stack.
			if (!request.complete) reject(cutOff())
		})
	})
}

/**
 * Synchronous `readBody` for a body that arrived together with its headers; null if it has not arrived yet. Throws what `readBody`
 * rejects with.
 */
export function takeBody(request: IncomingMessage, limitBytes: number, holder?: Holder): Buffer | null {
	const lane: unknown = request
	if (!(lane instanceof LaneRequest) || !lane.complete) return null
	const { whole } = lane
	if (whole === null || whole.length > limitBytes) return null
	if (holder) (holder.memory ?? bodyMemory).hold(holder, whole.length)
	return lane.consumeBody()
}

function cutOff(cause?: Error): Problem {
	return new Problem('invalid_request', 'The connection ended before the body did.', { cause })
}

/** The owner of a body that stays in memory until its response is over. */
interface Holder {
	response: ServerResponse
	/** The credential; none may use more than half of the memory. */
	owner: string
	memory?: BodyMemory
}

/** Limits the memory that request bodies use together, from their first byte to the end of their responses. */
export class BodyMemory {
	readonly #limitBytes: number
	readonly #byOwner = new Map<string, number>()
	#heldBytes = 0

	constructor(limitBytes: number) {
		this.#limitBytes = limitBytes
	}

	get heldBytes(): number {
		return this.#heldBytes
	}

	/** Refuses an announced body before it is read. Throws Problem 429 or 503. */
	requireRoom(owner: string, bytes: number): void {
		const retryAfterS = 1
		if ((this.#byOwner.get(owner) ?? 0) + bytes > this.#limitBytes / 2)
			throw new Problem(
				'too_many_requests',
				'This key has too many bytes in running requests; wait for some responses.',
				{
					...{ retryAfterS, headers: { connection: 'close' } },
				},
			)
		if (this.#heldBytes + bytes > this.#limitBytes)
			throw new Problem(
				'overloaded',
				'Running requests use all the memory that is available for their bodies.',
				{
					...{ retryAfterS, headers: { connection: 'close' } },
				},
			)
	}

	/** Counts the memory of a body, unless there is not enough. Release it by `count`. */
	takes(owner: string, bytes: number): boolean {
		const isTooMuch = (this.#byOwner.get(owner) ?? 0) + bytes > this.#limitBytes / 2
		if (isTooMuch || this.#heldBytes + bytes > this.#limitBytes) return false
		this.count(owner, bytes)
		return true
	}

	/** Counts the memory of a whole body, which is released with the response. Throws like `requireRoom`. */
	hold({ response, owner }: Holder, bytes: number): void {
		if (response.destroyed) return
		this.requireRoom(owner, bytes)
		this.count(owner, bytes)
		response.once('close', () => this.count(owner, -bytes))
	}

	/** Adds to what an owner holds; a negative number releases it. */
	count(owner: string, bytes: number): void {
		this.#heldBytes += bytes
		const ofOwner = (this.#byOwner.get(owner) ?? 0) + bytes
		if (ofOwner > 0) this.#byOwner.set(owner, ofOwner)
		else this.#byOwner.delete(owner)
	}
}

/** A body takes several times its size while it is read, checked, sent and recorded. */
const shareOfMemory = 1 / 8
const minBytes = 256 * 1024 * 1024

/** The memory of this process. */
export const bodyMemory = new BodyMemory(Math.max(minBytes, memoryBytes() * shareOfMemory))

/**
 * Resolves when a client has read the waiting data or disconnected. A client that reads nothing for `patienceMs` is disconnected.
 */
export function drained(response: ServerResponse, patienceMs = 120_000): Promise<void> {
	if (response.destroyed || !response.writableNeedDrain) return Promise.resolve()
	return new Promise((resolve) => {
		const timer = setTimeout(() => response.destroy(), patienceMs)
		const done = () => {
			clearTimeout(timer)
			response.off('drain', done)
			response.off('close', done)
			resolve()
		}
		response.once('drain', done)
		response.once('close', done)
	})
}

const compile = createValidatorCompiler()

/**
 * Parses the query string of a streaming route, which is not an API operation, by the same rules: unknown fields and bad values
 * throw `invalid_request`, defaults are filled in.
 */
export function createQueryReader<T extends TObject>(schema: T): (search: string) => Static<T> {
	const validate = compile({ schema, method: 'GET', url: '', httpPart: 'querystring' })
	return (search) => {
		const query = { ...parse(search) }
		refuseBadText(query)
		if (!validate(query)) throw toInvalidRequest(validate.errors as ErrorObject[], 'querystring')
		return query as Static<T>
	}
}

/** Headers of the transport or of the protocol, which we set ourselves. */
const ours: ReadonlySet<string> = new Set([
	...[
		'host',
		'content-length',
		'content-type',
		'content-encoding',
		'transfer-encoding',
		'connection',
		'keep-alive',
		'upgrade',
		'te',
		'trailer',
		'expect',
	],
	...[
		'accept',
		'accept-encoding',
		'proxy-connection',
		'proxy-authorization',
		'mcp-session-id',
		'mcp-protocol-version',
		'mcp-method',
		'mcp-name',
		'last-event-id',
	],
])
const maxNames = 50

/** Parses the headers that an admin wants to send with every request; names become lower case. */
export function parseHeaders(headers: Record<string, string>): Map<string, string> {
	const parsed = new Map<string, string>()
	for (const [name, value] of Object.entries(headers)) {
		const lower = name.toLowerCase()
		if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(lower)) throw malformed(name, 'is not a header name')
		if (ours.has(lower)) throw malformed(name, 'is set by the platform itself')
		if (parsed.has(lower)) throw malformed(name, 'is given twice')
		if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
			throw malformed(name, 'has a value that a header cannot carry')
		parsed.set(lower, value.trim())
	}
	if (parsed.size > maxNames) throw malformed('', `has more than ${maxNames} entries`)
	return parsed
}

function malformed(name: string, detail: string): Problem {
	const pointer = `/headers${name && `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`}`
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'header', detail }],
	})
}
