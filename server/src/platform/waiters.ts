import type { ChangeKind, View } from './changes.ts'

/** Waits for a change of one row. */
export interface Waiter {
	/** Resolves when the row may have changed since the last call, when the time is up, or when the signal is aborted. */
	next(withinMs: number, signal: AbortSignal): Promise<void>
	end(): void
}

/** Waiters of this process for rows of one kind. The change feed wakes them, because changes are made in any process. */
export class Waiters implements View {
	readonly kinds: readonly ChangeKind[]
	readonly #wakers = new Map<string, Set<() => void>>()

	constructor(kind: ChangeKind) {
		this.kinds = [kind]
	}

	/** Wakes all, because the changes are unknown. */
	async load(): Promise<void> {
		for (const id of this.#wakers.keys()) this.#wake(id)
	}

	async apply(_kind: string, id: string): Promise<void> {
		this.#wake(id)
	}

	/** The number of waiters. */
	get size(): number {
		let size = 0
		for (const wakers of this.#wakers.values()) size += wakers.size
		return size
	}

	add(id: string): Waiter {
		let isChanged = false
		let resume: (() => void) | null = null
		const wake = () => {
			isChanged = true
			resume?.()
		}
		const wakers = this.#wakers.get(id) ?? new Set()
		this.#wakers.set(id, wakers.add(wake))
		return {
			next: async (withinMs, signal) => {
				if (!isChanged && !signal.aborted) await pause(withinMs, signal, (waker) => (resume = waker))
				resume = null
				isChanged = false
			},
			end: () => {
				wakers.delete(wake)
				if (wakers.size === 0 && this.#wakers.get(id) === wakers) this.#wakers.delete(id)
			},
		}
	}

	#wake(id: string): void {
		for (const wake of this.#wakers.get(id) ?? []) wake()
	}
}

function pause(withinMs: number, signal: AbortSignal, onWaker: (wake: () => void) => void): Promise<void> {
	return new Promise((resolve) => {
		const done = () => {
			clearTimeout(timer)
			signal.removeEventListener('abort', done)
			resolve()
		}
		const timer = setTimeout(done, withinMs)
		signal.addEventListener('abort', done)
		onWaker(done)
	})
}
