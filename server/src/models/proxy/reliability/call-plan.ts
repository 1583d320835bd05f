import type { Provider, Vendor } from '@signalbox/contract'
import { Problem } from '../../../platform/errors.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import type { CallBody } from '../call-body.ts'
import type { ConnectionEntry } from '../connections/connection-view.ts'
import type { Target } from '../target.ts'
import { type RetryDecision, retryWaitMs, type TargetHealth } from './target-health.ts'

/** Deferred work of a provider: to whom its results belong, and which call began it. */
export interface DeferredCall
	extends Pick<
		SpanRow,
		| 'workspaceId'
		| 'traceId'
		| 'spanId'
		| 'agentId'
		| 'agentName'
		| 'credentialId'
		| 'sessionId'
		| 'userId'
		| 'client'
		| 'connection'
		| 'modelRequested'
	> {
	/** A batch has batch prices. */
	kind: 'batch' | 'response'
	provider: Provider
	/** As in `Target`; absent in calls that earlier versions began. */
	vendor?: Vendor
	connectionId: string
	/** The provider's name for it. */
	objectId: string
	/** When it began, in ms since 1970. */
	startMs: number
}

/** One possible target of a call, with its request. */
export interface Step {
	/** The connection's name. */
	connection: string
	/** The connection whose stored key is used; null for the caller's own key. */
	entry: ConnectionEntry | null
	target: Target
	/** The model requested from the provider, if it differs from the caller's. */
	model: string | null
	/** The caller's model if the caller's path names it; the path of the target may name another. */
	inPath?: string | undefined
	body: CallBody
	/** Null if no target is selected by it. */
	health: TargetHealth | null
	/** Whether the answer must have no content encoding, because it is read or changed on its way. */
	plainAnswer?: boolean
	/** The deferred work whose results the answer contains. */
	deferred?: DeferredCall | null
	/** Whether hooks have changed its body. */
	isChanged?: boolean
	/** Whether usage is requested that the client did not request. */
	usageInjected?: boolean
	/** The targets of its route that would be tried just before it if their circuits were not open; emptied when they are recorded. */
	passedOver?: Step[]
	/** Its target over a later state of its connection; throws the Problem that refuses the call. */
	retarget(entry: ConnectionEntry): Target
}

/** The model that the caller of a step names; null if it names none. */
export function requestedIn({ inPath, target }: Step, body: CallBody): string | null {
	return inPath ?? target.surface?.model ?? body.model
}

/**
 * The step over its connection as it is now: the key or URL may have changed while the call waited for its body, a hook, limits or
 * its next attempt. Throws the Problem that refuses the call.
 */
export function asItIsNow(step: Step, now: ConnectionEntry | undefined): Step {
	const gone = connectionGone(step, now)
	if (gone) throw gone
	const { entry } = step
	return !now || entry === null || entry === now ? step : { ...step, entry: now, target: step.retarget(now) }
}

/** Ends a call whose connection was deleted, also if another one has its name now; null while it exists. */
export function connectionGone(
	{ entry, connection }: Pick<Step, 'entry' | 'connection'>,
	now: ConnectionEntry | undefined,
): Problem | null {
	if (entry === null || now?.id === entry.id) return null
	return new Problem('not_found', `The connection ${connection} was deleted meanwhile.`)
}

export interface CallTimeouts {
	/**
	 * Limit until the first content of a stream, or the head of any other answer; null for no limit other than the connection's.
	 */
	firstTokenMs: number | null
	/** Limit between two chunks of an answer. */
	idleMs: number
	/** Limit of the whole call with all its attempts; null for none. */
	totalMs: number | null
}

export const defaultTimeouts: CallTimeouts = { firstTokenMs: null, idleMs: 300_000, totalMs: null }

export interface PlanRules {
	/** The route's name, or '' for a call to one connection. */
	route: string
	/** How often the same target is retried. */
	retries: number
	timeouts: CallTimeouts
}

export const direct: PlanRules = { route: '', retries: 0, timeouts: defaultTimeouts }

/** The steps of one call in order, and its progress through them. */
export class CallPlan {
	readonly first: Step
	readonly rules: PlanRules
	readonly #steps: readonly Step[]
	#at = 0
	#retry = 0

	constructor(steps: readonly [Step, ...Step[]], rules: PlanRules) {
		this.first = steps[0]
		this.rules = rules
		this.#steps = steps
	}

	get steps(): readonly Step[] {
		return this.#steps
	}

	/** The same plan with changed steps, from its beginning. */
	changed(change: (step: Step) => Step): CallPlan {
		const [first, ...others] = this.#steps.map(change)
		return new CallPlan([first as Step, ...others], this.rules)
	}

	/** Whether anything can follow the current attempt. */
	get more(): boolean {
		return this.#retry < this.rules.retries || this.#othersLeft
	}

	get #othersLeft(): boolean {
		return this.#at + 1 < this.#steps.length
	}

	/** The step after a failed attempt, and the delay before it. Null: the attempt's answer is final. */
	next(decision: RetryDecision, askedMs: number | null): { step: Step; waitMs: number } | null {
		if (decision === 'again' && this.#retry < this.rules.retries) {
			const waitMs = retryWaitMs(this.#retry, askedMs, this.#othersLeft)
			this.#retry += 1
			if (waitMs !== null) return { step: this.#steps[this.#at] as Step, waitMs }
		}
		if (!this.#othersLeft) return null
		this.#at += 1
		this.#retry = 0
		return { step: this.#steps[this.#at] as Step, waitMs: 0 }
	}
}
