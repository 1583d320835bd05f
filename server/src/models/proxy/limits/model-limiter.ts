import { Problem } from '../../../platform/errors.ts'
import type { Bound, Entered, Left, Limiter, Reached } from '../../../platform/limits/limiter.ts'
import type { ModelLimitRow } from './limit-repository.ts'
import type { ModelLimitView } from './limit-view.ts'

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

/** Counts model calls against the limits of their workspace. */
export interface ModelLimits {
	/** Whether a workspace has limits at all. */
	concerns(workspaceId: string): boolean
	/** Null: no limit counts the call. Throws, or rejects with, Problem 429 where one is reached. */
	enter(call: LimitedCall, estimate: () => number): Admission | null | Promise<Admission | null>
}

export function createModelLimits(view: ModelLimitView, limiter: Limiter): ModelLimits {
	return {
		concerns: (workspaceId) => view.of(workspaceId).length > 0,
		enter: (call, estimate) => {
			const limits = view.of(call.workspaceId)
			if (limits.length === 0) return null
			const bounds = limits.flatMap((limit) => boundOf(limit, call) ?? [])
			if (bounds.length === 0) return null
			const entered = limiter.enter(bounds, estimate())
			return entered instanceof Promise
				? entered.then((later) => admissionOf(bounds, later))
				: admissionOf(bounds, entered)
		},
	}
}

const units: Record<Reached['kind'], string> = {
	rate: 'requests in a minute',
	concurrency: 'calls at a time',
	tokens: 'tokens in a minute',
}

function admissionOf(bounds: readonly ModelBound[], entered: Entered): Admission {
	if (!entered.reached) return { headers: headersOf(bounds, entered.left), leave: entered.leave }
	const { kind, subject, limit, retryAfterMs } = entered.reached
	const retryAfterS = Math.max(1, Math.ceil((retryAfterMs ?? concurrencyRetryMs) / 1000))
	throw new Problem('model_calls_limited', `${subject} is reached: ${limit} ${units[kind]}.`, { retryAfterS })
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

/** draft-ietf-httpapi-ratelimit-headers. */
function headersOf(bounds: readonly ModelBound[], left: readonly Left[]): string[] {
	if (left.length === 0) return []
	const names = left.map(({ kind, at }) =>
		JSON.stringify(`${kind === 'calls' ? 'requests' : 'tokens'} ${bounds[at]?.id}`),
	)
	const policies = left.map(({ quota }, index) => `${names[index]};q=${quota};w=60`)
	const states = left.map(
		({ remaining, resetMs }, index) => `${names[index]};r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
	)
	return ['ratelimit-policy', policies.join(', '), 'ratelimit', states.join(', ')]
}
