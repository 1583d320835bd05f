import type { CallLimit } from './call-limit.ts'
import { Gcra } from './http/index.ts'

/** One limit that counts for a call, and whose calls it counts together. */
export interface Bound {
	/** Unique among all that is counted. */
	key: string
	limit: CallLimit
	/** What it is a limit of, for people: `the agent A`, `the tool t`. */
	subject: string
}

/** A limit that is reached. */
export interface Reached {
	kind: 'rate' | 'concurrency'
	subject: string
	limit: number
	/** Until the call would be within the rate; null: until another call ends. */
	retryAfterMs: number | null
}

const minuteMs = 60_000

/** Counts calls against limits, in the memory of this process; see `call-counter.ts` for several. */
export class CallLimiter {
	readonly #rates = new Gcra()
	readonly #running = new Map<string, number>()

	/**
	 * Counts a call against all of them, or says which is reached; then it is counted against none's concurrency. `onRate`
	 * hears what each rate has left.
	 */
	enter<Counted extends Bound>(
		bounds: readonly Counted[],
		nowMs: number,
		onRate?: (bound: Counted, left: { remaining: number; resetMs: number }) => void,
	): Reached | null {
		const full = bounds.find(({ key, limit }) => this.#runningOf(key) >= (limit.concurrency ?? Infinity))
		if (full) return reached(full, 'concurrency', full.limit.concurrency, null)
		for (const bound of bounds) {
			const waitMs = this.#take(bound, nowMs)
			if (bound.limit.callsPerMinute !== null) onRate?.(bound, this.#rates)
			if (waitMs > 0) return reached(bound, 'rate', bound.limit.callsPerMinute, Math.ceil(waitMs))
		}
		for (const { key, limit } of bounds)
			if (limit.concurrency !== null) this.#running.set(key, this.#runningOf(key) + 1)
		return null
	}

	/** Of every call that entered, once. */
	leave(bounds: readonly Bound[]): void {
		for (const { key, limit } of bounds) {
			if (limit.concurrency === null) continue
			const left = this.#runningOf(key) - 1
			if (left > 0) this.#running.set(key, left)
			else this.#running.delete(key)
		}
	}

	#take({ key, limit }: Bound, nowMs: number): number {
		if (limit.callsPerMinute === null) return 0
		return this.#rates.take(key, { requests: limit.callsPerMinute, windowMs: minuteMs }, nowMs)
	}

	#runningOf(key: string): number {
		return this.#running.get(key) ?? 0
	}
}

function reached(
	{ subject }: Bound,
	kind: Reached['kind'],
	limit: number | null,
	retryAfterMs: number | null,
): Reached {
	return { kind, subject, limit: limit ?? 0, retryAfterMs }
}
