import type { IncomingMessage, ServerResponse } from 'node:http'
import { totalmem } from 'node:os'
import { Problem } from '../errors.ts'
import { LaneRequest } from '../http1/lane-request.ts'

/**
 * Reads a whole body of at most `limitBytes`, refusing by Content-Length before the first byte where it can. With a holder it
 * counts against the memory for bodies. Rejects with Problem 400, 413, 429 or 503.
 */
export function readBody(request: IncomingMessage, limitBytes: number, holder?: Holder): Promise<Buffer> {
	const announced = Number(request.headers['content-length'] ?? 0)
	if (announced > limitBytes) return Promise.reject(tooLarge(limitBytes))
	const whole = wholeBody(request, announced, holder)
	if (whole !== null) return whole
	return new Promise((resolve, reject) => {
		const memory = holder?.memory ?? bodyMemory
		if (holder) memory.requireRoom(holder.owner, announced)
		const hold = holder ? memory.hold(holder) : () => undefined
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
				hold(chunk.length)
			} catch (problem) {
				return refuse(problem)
			}
			chunks.push(chunk)
		})
		request.on('end', () =>
			resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)),
		)
		// A client that disconnects is no failure of ours.
		request.on('error', (error) => reject(cutOff(error)))
		request.on('close', () => {
			// After a whole body it would only cost an error with its stack.
			if (!request.complete) reject(cutOff())
		})
	})
}

/** A body that came with its head. Null: it is still to come, or nobody knows. */
function wholeBody(request: unknown, bytes: number, holder?: Holder): Promise<Buffer> | null {
	if (!(request instanceof LaneRequest) || !request.complete) return null
	try {
		if (holder) (holder.memory ?? bodyMemory).hold(holder)(bytes)
	} catch (problem) {
		return Promise.reject(problem)
	}
	const body = request.takeWhole()
	return body && Promise.resolve(body)
}

function cutOff(cause?: Error): Problem {
	return new Problem('invalid_request', 'The connection ended before the body did.', { cause })
}

export function tooLarge(limitBytes: number): Problem {
	return new Problem('body_too_large', `The limit here is ${limitBytes} bytes.`, {
		headers: { connection: 'close' },
	})
}

/** On behalf of whom a body is held, until its answer is over. */
interface Holder {
	response: ServerResponse
	/** The credential: none may take more than half of the room. */
	owner: string
	memory?: BodyMemory
}

/** Bounds the memory that bodies of requests take together, from their first byte to the end of their answers. */
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

	/** Refuses what is announced before it is read. Throws Problem 429 or 503. */
	requireRoom(owner: string, bytes: number): void {
		const retryAfterS = 1
		if ((this.#byOwner.get(owner) ?? 0) + bytes > this.#limitBytes / 2)
			throw new Problem(
				'too_many_requests',
				'This key has too many bytes of requests under way; wait for some answers.',
				{
					...{ retryAfterS, headers: { connection: 'close' } },
				},
			)
		if (this.#heldBytes + bytes > this.#limitBytes)
			throw new Problem('overloaded', 'The requests under way take all the memory that there is for them.', {
				...{ retryAfterS, headers: { connection: 'close' } },
			})
	}

	/** Takes room for a body that `give` gives back; false where there is none. */
	takes(owner: string, bytes: number): boolean {
		const isTooMuch = (this.#byOwner.get(owner) ?? 0) + bytes > this.#limitBytes / 2
		if (isTooMuch || this.#heldBytes + bytes > this.#limitBytes) return false
		this.#add(owner, bytes)
		return true
	}

	give(owner: string, bytes: number): void {
		this.#add(owner, -bytes)
	}

	/** What of a request is in memory; it is let go with the answer. */
	hold({ response, owner }: Holder): (bytes: number) => void {
		if (response.destroyed) return () => undefined
		let held = 0
		response.once('close', () => this.#add(owner, -held))
		return (bytes) => {
			this.requireRoom(owner, bytes)
			if (response.destroyed) return
			held += bytes
			this.#add(owner, bytes)
		}
	}

	#add(owner: string, bytes: number): void {
		this.#heldBytes += bytes
		const ofOwner = (this.#byOwner.get(owner) ?? 0) + bytes
		if (ofOwner > 0) this.#byOwner.set(owner, ofOwner)
		else this.#byOwner.delete(owner)
	}
}

/** A body is some times its size while it is read, judged, sent and recorded. */
const shareOfMemory = 1 / 8
const leastBytes = 256 * 1024 * 1024

/** Of this process. */
export const bodyMemory = new BodyMemory(Math.max(leastBytes, memoryBytes() * shareOfMemory))

function memoryBytes(): number {
	const constrained = process.constrainedMemory()
	return constrained > 0 && constrained < totalmem() ? constrained : totalmem()
}
