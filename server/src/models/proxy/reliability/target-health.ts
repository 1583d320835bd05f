import type { IncomingHttpHeaders } from 'node:http'
import { backOffMs } from '../../../platform/retry.ts'
import type { ConnectionEntry } from '../connections/connection-view.ts'

const backOff = { firstMs: 500, maxMs: 8000 }
/** The longest acceptable wait for a retry: if there is another target, and if there is none. */
const patienceMs = { besideOthers: 2000, alone: 20_000 }

/** The wait that a provider requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function requestedWaitMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
	const exactMs = numberIn(headers['retry-after-ms'])
	if (exactMs !== null) return exactMs
	const text = headers['retry-after'] ?? ''
	const seconds = numberIn(text)
	if (seconds !== null) return seconds * 1000
	// `Date.parse` takes a negative number for a year.
	const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
	return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

function numberIn(value: string | string[] | undefined): number | null {
	const text = String(value).trim()
	return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null
}

/**
 * The delay before a target's `retry`-th retry (from 0), or null if it is too long. Half of a computed delay, and up to a tenth
 * more than a requested one, is random, so that callers do not return at the same moment.
 */
export function retryWaitMs(
	retry: number,
	askedMs: number | null,
	othersLeft: boolean,
	random: () => number = Math.random,
): number | null {
	const limitMs = othersLeft ? patienceMs.besideOthers : patienceMs.alone
	if (askedMs !== null) return askedMs > limitMs ? null : askedMs * (1 + random() / 10)
	return Math.min(limitMs, backOffMs(backOff, retry, random))
}

/**
 * What an attempt means for the next one. `good`: none is needed. `final`: every target would give the same answer. `again`: the
 * same target may succeed in a moment. `elsewhere`: only another target may succeed.
 */
export type RetryDecision = 'good' | 'final' | 'again' | 'elsewhere'

/** Caused by the account, the model or the limit of one provider, not by the request. */
const ofThisTarget: ReadonlySet<number> = new Set([401, 402, 403, 404])
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429])

export function decisionOnStatus(status: number, headers: IncomingHttpHeaders): RetryDecision {
	if (status < 400) return 'good'
	if (ofThisTarget.has(status)) return 'elsewhere'
	if (status < 500 && !passing.has(status)) return 'final'
	return headers['x-should-retry'] === 'false' ? 'elsewhere' : 'again'
}

/** For an error event in a stream with status 200. */
export function decisionOnStreamError(errorType: string): RetryDecision {
	return errorType === 'invalid_request_error' ? 'final' : 'again'
}

/** For an answer that did not arrive or broke off. A forbidden address or a redirect would fail again. */
export function decisionOnFailure(errorType: string): RetryDecision {
	return errorType === 'blocked_address' || errorType === 'redirected' ? 'elsewhere' : 'again'
}

const failuresToOpen = 5
const firstOpenMs = 10_000
const maxOpenMs = 300_000
/** An older latency counts as unknown, so that a target that was slow once is tried again. */
const latencyGoodForMs = 60_000
const weightOfLast = 0.3

/** The health of one model with one key: its circuit breaker and its latency, as measured by this process. */
export class TargetHealth {
	#failures = 0
	#openUntilMs = 0
	#openForMs = firstOpenMs
	#running = 0
	#latencyMs = 0
	#measuredAtMs = Number.NEGATIVE_INFINITY

	/** True while it should not be called. When the time is over, one call is let through, whose outcome decides. */
	isOpen(nowMs: number): boolean {
		const broken = this.#failures >= failuresToOpen
		return this.#isPaused(nowMs) || (broken && this.#running > 0)
	}

	/** The expected time to the first content, increasing with the number of running calls; 0 if unknown. */
	loadAt(nowMs: number): number {
		const known = Math.abs(nowMs - this.#measuredAtMs) < latencyGoodForMs
		return known ? this.#latencyMs * (this.#running + 1) : this.#running
	}

	begin(): void {
		this.#running += 1
	}

	/** Must be called once for every attempt that began. A null decision has no influence (the client disconnected). */
	end(
		decision: RetryDecision | null,
		{ nowMs, latencyMs, askedMs }: { nowMs: number; latencyMs: number | null; askedMs: number | null },
	): void {
		this.#running -= 1
		if (decision === null) return
		const failed = decision === 'again' || decision === 'elsewhere'
		if (failed) this.#fail(nowMs, askedMs)
		else this.#succeed(nowMs, latencyMs)
	}

	#succeed(nowMs: number, latencyMs: number | null): void {
		this.#failures = 0
		this.#openForMs = firstOpenMs
		this.#openUntilMs = 0
		if (latencyMs !== null) this.#measure(latencyMs, nowMs)
	}

	/** If the provider requests a pause, the circuit opens at once. */
	#fail(nowMs: number, askedMs: number | null): void {
		this.#failures += 1
		if (!this.#isPaused(nowMs)) this.#openUntilMs = 0
		if (askedMs !== null)
			this.#openUntilMs = Math.max(this.#openUntilMs, nowMs + Math.min(askedMs, maxOpenMs))
		if (this.#failures < failuresToOpen || this.#isPaused(nowMs)) return
		this.#openUntilMs = nowMs + this.#openForMs
		this.#openForMs = Math.min(2 * this.#openForMs, maxOpenMs)
	}

	/** A pause that seems to last longer than any is from before the clock was set back, and over. */
	#isPaused(nowMs: number): boolean {
		return nowMs < this.#openUntilMs && this.#openUntilMs <= nowMs + maxOpenMs
	}

	#measure(latencyMs: number, nowMs: number): void {
		const known = Math.abs(nowMs - this.#measuredAtMs) < latencyGoodForMs
		this.#latencyMs = known ? this.#latencyMs + weightOfLast * (latencyMs - this.#latencyMs) : latencyMs
		this.#measuredAtMs = nowMs
	}
}

/** The health of every model with every key. A changed connection is a new entry of the view, and starts fresh. */
export class HealthOfTargets {
	readonly #known = new WeakMap<ConnectionEntry, Map<string, TargetHealth>>()

	of(connection: ConnectionEntry, model: string): TargetHealth {
		const models = this.#known.get(connection) ?? new Map<string, TargetHealth>()
		if (models.size === 0) this.#known.set(connection, models)
		const known = models.get(model)
		if (known) return known
		if (models.size >= maxModels) models.delete(models.keys().next().value as string)
		const health = new TargetHealth()
		models.set(model, health)
		return health
	}
}

/** Bounded, because callers can send any model name. */
const maxModels = 1000
