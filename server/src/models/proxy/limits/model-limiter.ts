import { Problem } from '../../../platform/errors.ts'
import type {
	Bound,
	EnterResult,
	Lease,
	Limiter,
	ReachedLimit,
	RemainingQuota,
} from '../../../platform/limits/limiter.ts'
import type { ModelLimitRow, ModelLimitView } from './model-limits.ts'

/** The caller and the target of a call. */
export interface LimitedCall {
	workspaceId: string
	agentId: string
	keyId: string
	connection: string
}

interface ModelBound extends Bound {
	/** The names in response headers. Internal counter names must not be shown to clients. */
	named: Record<RemainingQuota['kind'], string>
}

/** Suggested retry delay for a concurrency limit, whose end depends on other calls only. */
const concurrencyRetryMs = 1000

/** A counted call, until it ends. */
export interface Admission {
	/** `ratelimit-policy` and `ratelimit`, name and value alternating. */
	readonly headers: readonly string[]
	/** See `Lease`. */
	leave: Lease['leave']
}

/** Counts model calls against the limits of their workspace. */
export interface ModelLimits {
	/** Whether a workspace has any limits. */
	concerns(workspaceId: string): boolean
	/** Null if no limit counts the call. Throws, or rejects with, Problem 429 if a limit is reached. */
	enter(call: LimitedCall, estimate: () => number): Admission | null | Promise<Admission | null>
}

export function createModelLimits(view: ModelLimitView, limiter: Limiter): ModelLimits {
	// By limit and counter name. A limit that changes is a new object, so its entries are dropped.
	const known = new WeakMap<ModelLimitRow, Map<string, ModelBound>>()
	const boundsOf = (call: LimitedCall) => {
		const bounds: ModelBound[] = []
		for (const limit of view.of(call.workspaceId)) {
			const own = ownerOf(limit, call)
			if (own === null) continue
			const ofLimit = known.get(limit) ?? new Map<string, ModelBound>()
			if (ofLimit.size === 0) known.set(limit, ofLimit)
			let bound = ofLimit.get(own)
			if (!bound) {
				bound = boundOf(limit, own)
				ofLimit.set(own, bound)
			}
			bounds.push(bound)
		}
		return bounds
	}
	return {
		concerns: (workspaceId) => view.of(workspaceId).length > 0,
		enter: (call, estimate) => {
			const bounds = boundsOf(call)
			if (bounds.length === 0) return null
			const entered = limiter.enter(bounds, estimate())
			return entered instanceof Promise
				? entered.then((later) => admissionOf(bounds, later))
				: admissionOf(bounds, entered)
		},
	}
}

const units: Record<ReachedLimit['kind'], string> = {
	rate: 'request% in a minute',
	concurrency: 'call% at a time',
	tokens: 'token% in a minute',
}

function admissionOf(bounds: readonly ModelBound[], entered: EnterResult): Admission {
	if (!entered.reached) return { headers: headersOf(bounds, entered.left), leave: entered.leave }
	const { kind, subject, limit, retryAfterMs } = entered.reached
	const retryAfterS = Math.max(1, Math.ceil((retryAfterMs ?? concurrencyRetryMs) / 1000))
	throw new Problem(
		'model_calls_limited',
		`${subject} is reached: ${limit} ${units[kind].replace('%', limit === 1 ? '' : 's')}.`,
		{ retryAfterS },
	)
}

function boundOf(limit: ModelLimitRow, own: string): ModelBound {
	return {
		key: `${limit.id} ${own}`.trim(),
		named: { calls: JSON.stringify(`requests ${limit.id}`), tokens: JSON.stringify(`tokens ${limit.id}`) },
		subject: `The limit “${limit.name}”`,
		limit: { callsPerMinute: limit.requests_per_minute, concurrency: limit.concurrency },
		tokensPerMinute: limit.tokens_per_minute,
	}
}

/** The name under which the limit counts the call; null if it does not count it. */
function ownerOf({ scope, scope_id }: ModelLimitRow, call: LimitedCall): string | null {
	if (scope === 'workspace') return ''
	const own = scope === 'agent' ? call.agentId : scope === 'key' ? call.keyId : call.connection
	return own !== '' && (scope_id ?? own) === own ? own : null
}

/** Headers by draft-ietf-httpapi-ratelimit-headers. */
function headersOf(bounds: readonly ModelBound[], left: readonly RemainingQuota[]): string[] {
	if (left.length === 0) return []
	let policies = ''
	let states = ''
	for (const { kind, at, quota, remaining, resetMs } of left) {
		const name = `${policies === '' ? '' : ', '}${bounds[at]?.named[kind]}`
		policies += `${name};q=${quota};w=60`
		states += `${name};r=${remaining};t=${Math.ceil(resetMs / 1000)}`
	}
	return ['ratelimit-policy', policies, 'ratelimit', states]
}
