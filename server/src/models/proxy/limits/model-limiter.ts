import { type Bound, CallLimiter, type Reached } from '../../../platform/call-limiter.ts'
import type { Clock } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import type { ModelLimitView } from './limit-view.ts'
import type { ModelLimitRow } from './model-limit.ts'
import { TokenRates } from './token-rates.ts'

/** Whose call it is, and to whom it goes. */
export interface LimitedCall {
	workspaceId: string
	agentId: string
	keyId: string
	connection: string
}

interface ModelBound extends Bound {
	/** Of the limit: what is counted together has no name that a client should see. */
	id: string
	tokensPerMinute: number | null
}

/** What a limit has left, for the headers of an answer. */
interface Left {
	policy: string
	state: string
}

/** Where only other calls decide when it is worth trying again. */
const concurrencyRetryMs = 1000

/** A call that was counted, until it is over. */
export interface Admission {
	/** `ratelimit-policy` and `ratelimit`, name and value in turn. */
	readonly headers: readonly string[]
	/** `tokens` is what it used; null: nobody knows, so that the estimate stands. Once. */
	leave(tokens: number | null): void
}

/** Counts model calls against the limits of their workspace; see `limiter-of-primary.ts` for workers. */
export interface ModelLimits {
	/** Null: no limit counts the call. Throws, or rejects with, Problem 429 where one is reached. */
	enter(call: LimitedCall, estimate: () => number): Admission | null | Promise<Admission | null>
}

/** Counts in the memory of this process. */
export class ModelLimiter implements ModelLimits {
	readonly #view: ModelLimitView
	readonly #clock: Clock
	readonly #calls = new CallLimiter()
	readonly #tokens = new TokenRates()

	constructor(view: ModelLimitView, clock: Clock) {
		this.#view = view
		this.#clock = clock
	}

	enter(call: LimitedCall, estimate: () => number): Admission | null {
		const limits = this.#view.of(call.workspaceId)
		if (limits.length === 0) return null
		const bounds = limits.flatMap((limit) => boundOf(limit, call) ?? [])
		return bounds.length === 0 ? null : this.#admit(bounds, estimate())
	}

	#admit(bounds: readonly ModelBound[], estimated: number): Admission {
		const nowMs = this.#clock.nowMs()
		const shown: Left[] = []
		const reached = this.#calls.enter(bounds, nowMs, (bound, left) =>
			shown.push(showLeft(`requests ${bound.id}`, bound.limit.callsPerMinute ?? 0, left)),
		)
		if (reached) throw refusal(reached, reached.kind === 'rate' ? 'requests in a minute' : 'calls at a time')
		const full = this.#takeTokens(bounds, estimated, nowMs, shown)
		if (full) {
			this.#calls.leave(bounds)
			throw refusal(full, 'tokens in a minute')
		}
		return { headers: headersOf(shown), leave: (tokens) => this.#leave(bounds, estimated, tokens) }
	}

	#takeTokens(
		bounds: readonly ModelBound[],
		estimated: number,
		nowMs: number,
		shown: Left[],
	): Reached | null {
		const taken: ModelBound[] = []
		for (const bound of bounds) {
			const { id, key, subject, tokensPerMinute } = bound
			if (tokensPerMinute === null) continue
			const waitMs = this.#tokens.take(key, tokensPerMinute, estimated, nowMs)
			if (waitMs > 0) {
				this.#correct(taken, -estimated)
				return { kind: 'rate', subject, limit: tokensPerMinute, retryAfterMs: Math.ceil(waitMs) }
			}
			taken.push(bound)
			shown.push(showLeft(`tokens ${id}`, tokensPerMinute, this.#tokens.left(key, tokensPerMinute, nowMs)))
		}
		return null
	}

	#leave(bounds: readonly ModelBound[], estimated: number, tokens: number | null): void {
		this.#calls.leave(bounds)
		if (tokens !== null) this.#correct(bounds, tokens - estimated)
	}

	#correct(bounds: readonly ModelBound[], difference: number): void {
		const nowMs = this.#clock.nowMs()
		for (const { key, tokensPerMinute } of bounds)
			if (tokensPerMinute !== null) this.#tokens.correct(key, tokensPerMinute, difference, nowMs)
	}
}

/** Null: the limit does not count the call. */
function boundOf(limit: ModelLimitRow, call: LimitedCall): ModelBound | null {
	const own = ownerOf(limit, call)
	if (own === null) return null
	return {
		key: `${limit.id} ${own}`.trim(),
		id: limit.id,
		subject: `The limit “${limit.name}”`,
		limit: { callsPerMinute: limit.requests_per_minute, concurrency: limit.concurrency },
		tokensPerMinute: limit.tokens_per_minute,
	}
}

/** Under which name the limit counts the call; null: not at all. */
function ownerOf({ scope, scope_id }: ModelLimitRow, call: LimitedCall): string | null {
	if (scope === 'workspace') return ''
	const owners: Record<string, string> = { agent: call.agentId, key: call.keyId, connection: call.connection }
	const own = owners[scope] ?? ''
	return own !== '' && (scope_id ?? own) === own ? own : null
}

function refusal({ subject, limit, retryAfterMs }: Reached, unit: string): Problem {
	const retryAfterS = Math.max(1, Math.ceil((retryAfterMs ?? concurrencyRetryMs) / 1000))
	return new Problem('model_calls_limited', `${subject} is reached: ${limit} ${unit}.`, { retryAfterS })
}

/** draft-ietf-httpapi-ratelimit-headers. */
function showLeft(
	name: string,
	quota: number,
	{ remaining, resetMs }: { remaining: number; resetMs: number },
): Left {
	const text = JSON.stringify(name)
	return {
		policy: `${text};q=${quota};w=60`,
		state: `${text};r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
	}
}

function headersOf(shown: readonly Left[]): string[] {
	if (shown.length === 0) return []
	const join = (part: keyof Left) => shown.map((left) => left[part]).join(', ')
	return ['ratelimit-policy', join('policy'), 'ratelimit', join('state')]
}
