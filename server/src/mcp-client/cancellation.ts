import type { RpcFailure } from './failure.ts'

/** Ends a running operation from outside, once: by the client, by a change of permissions, by time. */
export class Cancellation {
	#failure: RpcFailure | null = null
	#listener: ((failure: RpcFailure) => void) | null = null
	#others: Set<(failure: RpcFailure) => void> | null = null

	/** What the operation fails with, or null while it may run. */
	get failure(): RpcFailure | null {
		return this.#failure
	}

	cancel(failure: RpcFailure): void {
		if (this.#failure) return
		this.#failure = failure
		this.#listener?.(failure)
		for (const other of this.#others ?? []) other(failure)
	}

	/** Tells another one too, beside the one who must act; returns the end of that. Called at once when it was cancelled before. */
	also(listener: (failure: RpcFailure) => void): () => void {
		this.#others ??= new Set()
		this.#others.add(listener)
		if (this.#failure) listener(this.#failure)
		return () => void this.#others?.delete(listener)
	}

	/** The one who must act on it now; null when nobody. Called at once when it was cancelled before. */
	handOver(listener: ((failure: RpcFailure) => void) | null): void {
		this.#listener = listener
		if (listener && this.#failure) listener(this.#failure)
	}
}
