import type { ServerResponse } from 'node:http'
import { Problem } from '../errors.ts'
import type { Figure } from '../health/metrics.ts'
import type { Log } from '../log.ts'

/** New calls may take so much of a turn of the event loop; those that run have the rest. */
const turnBudgetMs = 10
const retryAfterS = 2
const tellEveryMs = 10_000

interface Waiting {
	response: ServerResponse
	sinceMs: number
	go(): void
	refuse(problem: Problem): void
}

export interface AdmissionOptions {
	/** How long a call may wait; 0: none waits and none is refused. */
	patienceMs: number
	log: Log
}

/**
 * Lets calls in as fast as the process can carry them out, in their order. Those that come faster wait unread at the ingress, which
 * costs next to nothing, and are refused when they have waited too long. So a flood keeps the process as busy as its best load
 * does: refusing all while it is late would leave it idle, and callers that are refused at once come again at once.
 */
export class Admission {
	readonly #options: AdmissionOptions
	/** The oldest first, from `#head` on. */
	#queue: Waiting[] = []
	#head = 0
	#turnStartMs = 0
	#pumping = false
	#toldAtMs = Number.NEGATIVE_INFINITY
	refused = 0

	constructor(options: AdmissionOptions) {
		this.#options = options
	}

	get waiting(): number {
		return this.#queue.length - this.#head
	}

	/** Calls `go` now or when it is the call's turn, or `refuse`; neither when its client has gone by then. */
	enter(response: ServerResponse, go: () => void, refuse: (problem: Problem) => void): void {
		const nowMs = performance.now()
		if (!this.#pumping) {
			this.#turnStartMs = nowMs
			this.#pumpLater()
		}
		const hasRoom = this.waiting === 0 && nowMs - this.#turnStartMs < turnBudgetMs
		if (hasRoom || this.#options.patienceMs === 0) go()
		else this.#queue.push({ response, sinceMs: nowMs, go, refuse })
	}

	/** Refuses whoever waits. */
	close(): void {
		for (const each of this.#queue.splice(this.#head))
			each.refuse(new Problem('shutting_down', undefined, { retryAfterS }))
		this.#queue = []
		this.#head = 0
	}

	#pumpLater(): void {
		this.#pumping = true
		setImmediate(() => this.#pump())
	}

	#pump(): void {
		this.#turnStartMs = performance.now()
		const { patienceMs } = this.#options
		while (this.waiting > 0) {
			const nowMs = performance.now()
			const next = this.#queue[this.#head] as Waiting
			const isLate = nowMs - next.sinceMs > patienceMs
			if (!isLate && nowMs - this.#turnStartMs >= turnBudgetMs) break
			this.#head += 1
			if (next.response.destroyed) continue
			if (isLate) this.#refuse(next, nowMs)
			else next.go()
		}
		this.#trim()
		if (this.waiting > 0) this.#pumpLater()
		else this.#pumping = false
	}

	#refuse(late: Waiting, nowMs: number): void {
		this.refused += 1
		if (nowMs - this.#toldAtMs > tellEveryMs) {
			this.#toldAtMs = nowMs
			this.#options.log.warn(
				{ waiting: this.waiting, refused: this.refused },
				'overload: calls come faster than they can be carried out',
			)
		}
		late.refuse(new Problem('overloaded', undefined, { retryAfterS }))
	}

	/** The array is cut now and then, not for each call. */
	#trim(): void {
		if (this.#head < 1024 && this.waiting > 0) return
		this.#queue = this.#queue.slice(this.#head)
		this.#head = 0
	}

	readonly figures: readonly Figure[] = [
		{
			name: 'signalbox_waiting_calls',
			help: 'MCP and model calls that wait at the ingress',
			read: () => this.waiting,
		},
	]
}
