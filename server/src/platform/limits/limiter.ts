import type { Clock } from '../clock.ts'
import { type Processes, primary, singleProcess } from '../processes/processes.ts'
import type { CallLimit } from './call-limit.ts'
import { type Quota, Rates, type TakeResult } from './rates.ts'

/** A limit that applies to a call. Calls with the same key count together. */
export interface Bound {
	/** Unique among all limits. */
	key: string
	limit: CallLimit
	tokensPerMinute?: number | null
	/** What the limit applies to, for people: `the agent A`, `the tool t`. */
	subject: string
}

/** An exceeded limit. */
export interface ReachedLimit {
	kind: 'rate' | 'concurrency' | 'tokens'
	subject: string
	limit: number
	/** Time until the call would be within the rate; null: until another call ends. */
	retryAfterMs: number | null
}

/** The remaining quota of a limit after the call was counted. */
export interface RemainingQuota extends Omit<TakeResult, 'waitMs'> {
	kind: 'calls' | 'tokens'
	/** Index of the limit in the given bounds. */
	at: number
	quota: number
}

type Used = number | null | 'unmade'

/** A call that counts as running until `leave`. */
export interface Lease {
	reached: null
	/** The remaining quota of each rate and token limit. */
	left: readonly RemainingQuota[]
	/** Call it once. `tokens` is the actual usage; null: unknown, so the estimate stands. A call that is `unmade` counts nowhere. */
	leave(tokens?: Used): void
}

export type EnterResult = Lease | { reached: ReachedLimit }

/** Counts for the whole program: a worker asks the primary, and rejects with a `Problem` if the primary has ended. */
export interface Limiter {
	/** Counts one request of a caller, whose name is unique within the class `name`. The result is valid until the next call. */
	take(name: string, caller: string, quota: Quota): TakeResult | Promise<TakeResult>
	/** Counts a call against all of its limits, or returns the one that is exceeded; `tokens` is the estimated usage. */
	enter(bounds: readonly Bound[], tokens?: number): EnterResult | Promise<EnterResult>
}

export function createLimiter(clock: Clock, processes: Processes = singleProcess): Limiter {
	if (processes.number !== primary) return limiterOfWorker(processes)
	const counters = new Counters(clock)
	countForWorkers(counters, processes)
	return counters
}

const minuteMs = 60_000
const perMinute = (requests: number): Quota => ({ requests, windowMs: minuteMs })

type Kind = RemainingQuota['kind']

function quotaOf({ limit, tokensPerMinute }: Bound, kind: Kind): number | null {
	return kind === 'calls' ? limit.callsPerMinute : (tokensPerMinute ?? null)
}

/** Counts in this process's memory. */
class Counters implements Limiter {
	readonly #clock: Clock
	readonly #classes = new Map<string, Rates>()
	readonly #rates: Record<Kind, Rates> = { calls: new Rates(), tokens: new Rates() }
	readonly #running = new Map<string, number>()

	constructor(clock: Clock) {
		this.#clock = clock
	}

	take(name: string, caller: string, quota: Quota): TakeResult {
		const rates = this.#classes.get(name) ?? this.#newClass(name)
		rates.take(caller, quota, this.#clock.nowMs())
		return rates
	}

	enter(bounds: readonly Bound[], tokens?: number): EnterResult {
		const nowMs = this.#clock.nowMs()
		const full = bounds.find(({ key, limit }) => this.#runningOf(key) >= (limit.concurrency ?? Infinity))
		if (full) return refused(full, 'concurrency', full.limit.concurrency, null)
		const left: RemainingQuota[] = []
		const tooMany = this.#takeFromAll('calls', bounds, 1, nowMs, left)
		if (tooMany) return tooMany
		const tooLarge = tokens === undefined ? null : this.#takeFromAll('tokens', bounds, tokens, nowMs, left)
		if (tooLarge) {
			this.#correct('calls', bounds, -1, nowMs)
			return tooLarge
		}
		for (const { key, limit } of bounds)
			if (limit.concurrency !== null) this.#running.set(key, this.#runningOf(key) + 1)
		return { reached: null, left, leave: (used) => this.#leave(bounds, used ?? null, tokens ?? 0) }
	}

	#newClass(name: string): Rates {
		const rates = new Rates()
		this.#classes.set(name, rates)
		return rates
	}

	/** All or nothing: a call that one limit refuses uses up no other. */
	#takeFromAll(
		kind: Kind,
		bounds: readonly Bound[],
		cost: number,
		nowMs: number,
		left: RemainingQuota[],
	): { reached: ReachedLimit } | null {
		const rates = this.#rates[kind]
		for (const [at, bound] of bounds.entries()) {
			const quota = quotaOf(bound, kind)
			if (quota === null) continue
			const waitMs = rates.take(bound.key, perMinute(quota), nowMs, cost)
			if (waitMs > 0) {
				this.#correct(kind, bounds.slice(0, at), -cost, nowMs)
				return refused(bound, kind === 'calls' ? 'rate' : 'tokens', quota, Math.ceil(waitMs))
			}
			left.push(leftOf(kind, at, quota, rates))
		}
		return null
	}

	#leave(bounds: readonly Bound[], used: Used, estimated: number): void {
		for (const { key, limit } of bounds) {
			if (limit.concurrency === null) continue
			const left = this.#runningOf(key) - 1
			if (left > 0) this.#running.set(key, left)
			else this.#running.delete(key)
		}
		const nowMs = this.#clock.nowMs()
		if (used === 'unmade') this.#correct('calls', bounds, -1, nowMs)
		const tokens = used === 'unmade' ? 0 : (used ?? estimated)
		if (tokens !== estimated) this.#correct('tokens', bounds, tokens - estimated, nowMs)
	}

	#correct(kind: Kind, bounds: readonly Bound[], difference: number, nowMs: number): void {
		for (const bound of bounds) {
			const quota = quotaOf(bound, kind)
			if (quota !== null) this.#rates[kind].correct(bound.key, perMinute(quota), nowMs, difference)
		}
	}

	#runningOf(key: string): number {
		return this.#running.get(key) ?? 0
	}
}

function refused(
	{ subject }: Bound,
	kind: ReachedLimit['kind'],
	limit: number | null,
	retryAfterMs: number | null,
): { reached: ReachedLimit } {
	return { reached: { kind, subject, limit: limit ?? 0, retryAfterMs } }
}

function leftOf(
	kind: RemainingQuota['kind'],
	at: number,
	quota: number,
	{ remaining, resetMs }: TakeResult,
): RemainingQuota {
	return { kind, at, quota, remaining, resetMs }
}

const takeOne = 'limits.take'
const enterCall = 'limits.enter'
const leaveCall = 'limits.leave'

interface Taking {
	name: string
	caller: string
	quota: Quota
}

interface Entering {
	/** Id of the call, unique within its worker. */
	id: number
	bounds: readonly Bound[]
	tokens: number | undefined
}

interface Leaving {
	id: number
	tokens: Used
}

function limiterOfWorker(processes: Processes): Limiter {
	let lastId = 0
	return {
		take: (name, caller, quota) => {
			const taking: Taking = { name, caller, quota }
			return processes.ask<TakeResult>(primary, takeOne, taking)
		},
		enter: async (bounds, tokens) => {
			const id = ++lastId
			const entering: Entering = { id, bounds, tokens }
			const answer = await processes.ask<{ reached: ReachedLimit } | { left: readonly RemainingQuota[] }>(
				primary,
				enterCall,
				entering,
			)
			if ('reached' in answer) return answer
			const leave = (used: Used = null) => {
				const leaving: Leaving = { id, tokens: used }
				processes.tell(primary, leaveCall, leaving)
			}
			return { reached: null, left: answer.left, leave }
		},
	}
}

/** When a worker ends, its calls have ended too; their usage is unknown. */
function countForWorkers(counters: Counters, processes: Processes): void {
	const leases = new Map<number, Map<number, Lease>>()
	processes.answer(takeOne, ({ name, caller, quota }: Taking) => {
		const { waitMs, remaining, resetMs } = counters.take(name, caller, quota)
		return { waitMs, remaining, resetMs }
	})
	processes.answer(enterCall, ({ id, bounds, tokens }: Entering, worker) => {
		const entered = counters.enter(bounds, tokens)
		if (entered.reached) return entered
		const ofWorker = leases.get(worker) ?? new Map<number, Lease>()
		leases.set(worker, ofWorker.set(id, entered))
		return { left: entered.left }
	})
	processes.answer(leaveCall, ({ id, tokens }: Leaving, worker) => {
		const ofWorker = leases.get(worker)
		ofWorker?.get(id)?.leave(tokens)
		ofWorker?.delete(id)
	})
	processes.onEnded((worker) => {
		for (const lease of leases.get(worker)?.values() ?? []) lease.leave(null)
		leases.delete(worker)
	})
}
