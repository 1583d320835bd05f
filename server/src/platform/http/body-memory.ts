import type { ServerResponse } from 'node:http'
import { totalmem } from 'node:os'
import { Problem } from '../errors.ts'

/** On behalf of whom a body is held, until its answer is over. */
export interface Holder {
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
