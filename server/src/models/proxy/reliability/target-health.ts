import type { IncomingHttpHeaders } from 'node:http'
import { backOffMs } from '../../../platform/retry.ts'
import type { ConnectionEntry } from '../connections/connection-view.ts'

const backOff = { firstMs: 500, longestMs: 8000 }
/** Longer than this nobody should wait in line: with another target at hand, and without. */
const patienceMs = { besideOthers: 2000, alone: 20_000 }

/** What a provider asks callers to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function askedWaitMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
	const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
	if (exact >= 0) return exact
	const text = headers['retry-after']
	if (text === undefined) return null
	const seconds = Number(text)
	if (seconds >= 0) return seconds * 1000
	const at = Date.parse(text)
	return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/**
 * How long to wait before a target is asked for the `retry`-th time again (from 0), or null when that is too long. Half
 * of a wait of our own and a tenth more than an asked one are left to chance, so that callers do not come back together.
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
 * What an attempt says about the next one: `good` none is needed; `final` every target would say the same; `again` the
 * same target may do better in a moment; `elsewhere` only another target may.
 */
export type RetryDecision = 'good' | 'final' | 'again' | 'elsewhere'

/** The account, the model or the limit of one provider is at fault, not the request. */
const ofThisTarget: ReadonlySet<number> = new Set([401, 402, 403, 404])
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429])

export function decisionOnStatus(status: number, headers: IncomingHttpHeaders): RetryDecision {
	if (status < 400) return 'good'
	if (ofThisTarget.has(status)) return 'elsewhere'
	if (status < 500 && !passing.has(status)) return 'final'
	return headers['x-should-retry'] === 'false' ? 'elsewhere' : 'again'
}

/** Of an error that a stream tells with status 200. */
export function decisionOnStreamError(errorType: string): RetryDecision {
	return errorType === 'invalid_request_error' ? 'final' : 'again'
}

/** Of an answer that did not come or broke off; an address that is forbidden or redirects goes on doing so. */
export function decisionOnFailure(errorType: string): RetryDecision {
	return errorType === 'blocked_address' || errorType === 'redirected' ? 'elsewhere' : 'again'
}

const failuresToOpen = 5
const firstOpenMs = 10_000
const longestOpenMs = 300_000
/** A latency that was measured longer ago counts as unknown, so that a target that was slow once is tried again. */
const latencyGoodForMs = 60_000
const weightOfLast = 0.3

/** How one model behind one key does: its circuit breaker and its latency, as this process sees them. */
export class TargetHealth {
	#failures = 0
	#openUntilMs = 0
	#openForMs = firstOpenMs
	#running = 0
	#latencyMs = 0
	#measuredAtMs = Number.NEGATIVE_INFINITY

	/** Open: it should not be asked. After its time one call is let through, which decides. */
	isOpen(nowMs: number): boolean {
		const broken = this.#failures >= failuresToOpen
		return nowMs < this.#openUntilMs || (broken && this.#running > 0)
	}

	/** The expected time to the first content, longer the more calls run; 0 while nothing is known. */
	loadAt(nowMs: number): number {
		const known = nowMs - this.#measuredAtMs < latencyGoodForMs
		return known ? this.#latencyMs * (this.#running + 1) : this.#running
	}

	begin(): void {
		this.#running += 1
	}

	/** Of every attempt that began, once; a null decision says nothing (the client went away). */
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

	/** A provider that says how long it wants to be left alone is, at once. */
	#fail(nowMs: number, askedMs: number | null): void {
		this.#failures += 1
		if (askedMs !== null)
			this.#openUntilMs = Math.max(this.#openUntilMs, nowMs + Math.min(askedMs, longestOpenMs))
		if (this.#failures < failuresToOpen || nowMs < this.#openUntilMs) return
		this.#openUntilMs = nowMs + this.#openForMs
		this.#openForMs = Math.min(2 * this.#openForMs, longestOpenMs)
	}

	#measure(latencyMs: number, nowMs: number): void {
		const known = nowMs - this.#measuredAtMs < latencyGoodForMs
		this.#latencyMs = known ? this.#latencyMs + weightOfLast * (latencyMs - this.#latencyMs) : latencyMs
		this.#measuredAtMs = nowMs
	}
}

/** The health of every model behind every key. A changed connection is a new entry of the view, and starts again. */
export class HealthOfTargets {
	readonly #known = new WeakMap<ConnectionEntry, Map<string, TargetHealth>>()

	of(connection: ConnectionEntry, model: string): TargetHealth {
		const models = this.#known.get(connection) ?? new Map<string, TargetHealth>()
		if (models.size === 0) this.#known.set(connection, models)
		const known = models.get(model)
		if (known) return known
		if (models.size >= mostModels) models.delete(models.keys().next().value as string)
		const health = new TargetHealth()
		models.set(model, health)
		return health
	}
}

/** Callers can name models as they like. */
const mostModels = 1000
