import type { RpcFailure } from './failure.ts'

/** Ends a running operation once, from outside: by its client, a change of permissions or a time limit. */
export class Cancellation {
	#failure: RpcFailure | null = null
	#listener: ((failure: RpcFailure) => void) | null = null
	#others: Set<(failure: RpcFailure) => void> | null = null

	/** The failure with which the operation ends, or null while it may run. */
	get failure(): RpcFailure | null {
		return this.#failure
	}

	cancel(failure: RpcFailure): void {
		if (this.#failure) return
		this.#failure = failure
		this.#listener?.(failure)
		for (const other of this.#others ?? []) other(failure)
	}

	/**
	 * Adds a further listener beside the responsible one. Returns a function that removes it. If already cancelled, the listener
	 * is called at once.
	 */
	also(listener: (failure: RpcFailure) => void): () => void {
		this.#others ??= new Set()
		this.#others.add(listener)
		if (this.#failure) listener(this.#failure)
		return () => void this.#others?.delete(listener)
	}

	/** Sets the responsible listener; null for none. If already cancelled, it is called at once. */
	handOver(listener: ((failure: RpcFailure) => void) | null): void {
		this.#listener = listener
		if (listener && this.#failure) listener(this.#failure)
	}
}
