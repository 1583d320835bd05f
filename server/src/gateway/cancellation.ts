import type { RpcFailure } from './json-rpc/failure.ts'

/** Ends a running operation from outside, once: by the client, by a change of permissions, by time. */
export class Cancellation {
	#failure: RpcFailure | null = null
	#listener: ((failure: RpcFailure) => void) | null = null

	/** What the operation fails with, or null while it may run. */
	get failure(): RpcFailure | null {
		return this.#failure
	}

	cancel(failure: RpcFailure): void {
		if (this.#failure) return
		this.#failure = failure
		this.#listener?.(failure)
	}

	/** The one who must act on it now; null when nobody. Called at once when it was cancelled before. */
	handOver(listener: ((failure: RpcFailure) => void) | null): void {
		this.#listener = listener
		if (listener && this.#failure) listener(this.#failure)
	}
}
