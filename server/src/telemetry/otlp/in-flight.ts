import { Problem } from '../../platform/errors.ts'

/** Bounds the memory that request bodies take together while they are received and recorded. */
export class InFlight {
	readonly #maxBytes: number
	#heldBytes = 0

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes
	}

	hold(): Hold {
		let held = 0
		return {
			add: (bytes) => {
				if (this.#heldBytes + bytes > this.#maxBytes)
					throw new Problem('too_many_requests', 'Too much telemetry is being received at once.', {
						retryAfterS: 1,
					})
				held += bytes
				this.#heldBytes += bytes
			},
			release: () => {
				this.#heldBytes -= held
				held = 0
			},
		}
	}

	get heldBytes(): number {
		return this.#heldBytes
	}
}

/** The share of one request. */
export interface Hold {
	/** Throws Problem `too_many_requests` when there is no room. */
	add(bytes: number): void
	release(): void
}
