import type { Problem } from '../errors.ts'
import { Slots, type Slotted } from '../slots.ts'

export interface LiveRequest extends Slotted {
	check(): Problem | null
	abort(problem: Problem): void
}

/**
 * The running requests of the data plane. When permissions change, each is checked again. Requests that would now be refused are
 * aborted, including streams.
 */
export class LiveRequests {
	readonly #running = new Slots<LiveRequest>()

	/** Adds a request, which removes itself with `leave`. */
	enter(request: LiveRequest): void {
		this.#running.add(request)
	}

	leave(request: LiveRequest): void {
		this.#running.delete(request)
	}

	/** Adds a request; returns a function to call when it ends. */
	add(request: Omit<LiveRequest, 'slot'>): () => void {
		const running = { ...request, slot: -1 }
		this.#running.add(running)
		return () => this.#running.delete(running)
	}

	recheck(): void {
		for (const request of this.#running) {
			const problem = check(request)
			if (!problem) continue
			this.#running.delete(request)
			request.abort(problem)
		}
	}

	get size(): number {
		return this.#running.size
	}
}

/** A check that throws denies access: nothing fails open. */
function check(request: LiveRequest): Problem | null {
	try {
		return request.check()
	} catch (error) {
		return error as Problem
	}
}
