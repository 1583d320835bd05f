import type { Provider } from '@signalbox/contract'
import type { SpanRow } from '../../../telemetry/index.ts'
import type { CallBody } from '../call-body.ts'
import type { ConnectionEntry } from '../connections/connection-view.ts'
import type { Target } from '../target.ts'
import { type RetryDecision, retryWaitMs, type TargetHealth } from './target-health.ts'

/** Whose the results are of what a provider does later, and which call began it. */
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
	/** A batch costs what batches cost. */
	kind: 'batch' | 'response'
	provider: Provider
	connectionId: string
	/** As the provider names it. */
	objectId: string
	/** When it was begun, in ms since 1970. */
	startMs: number
}

/** One way to make a call. */
export interface Step {
	/** The connection's name. */
	connection: string
	/** The connection whose stored key is used; null: the caller's own key. */
	entry: ConnectionEntry | null
	target: Target
	/** The model that is asked of the provider, where that is another than the caller named. */
	model: string | null
	body: CallBody
	/** Null: nobody chooses by it. */
	health: TargetHealth | null
	/** Whether the answer must come without an encoding, because we read or change it on its way. */
	plainAnswer?: boolean
	/** Whose results the answer holds. */
	deferred?: DeferredCall | null
	/** Whether hooks have changed its body. */
	isChanged?: boolean
	/** Whether we ask for usage that the client has not asked for. */
	usageInjected?: boolean
}

export interface CallTimeouts {
	/** Until the first content of a stream, or the head of any other answer; null: as long as the connection lasts. */
	firstTokenMs: number | null
	/** Between two pieces of an answer. */
	idleMs: number
	/** Of the whole call with all its attempts; null: no limit. */
	totalMs: number | null
}

export const usualTimeouts: CallTimeouts = { firstTokenMs: null, idleMs: 300_000, totalMs: null }

export interface PlanRules {
	/** The route's name, or '' for a call to one connection. */
	route: string
	/** How often one target is asked again. */
	retries: number
	timeouts: CallTimeouts
}

export const direct: PlanRules = { route: '', retries: 0, timeouts: usualTimeouts }

/** The ways to make one call, in their order, and how far it has come. */
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

	/** The same plan with other steps, from its beginning. */
	changed(change: (step: Step) => Step): CallPlan {
		const [first, ...others] = this.#steps.map(change)
		return new CallPlan([first as Step, ...others], this.rules)
	}

	/** Whether anything can follow the present attempt. */
	get more(): boolean {
		return this.#retry < this.rules.retries || this.#othersLeft
	}

	get #othersLeft(): boolean {
		return this.#at + 1 < this.#steps.length
	}

	/** What follows a failed attempt, and after which wait; null: its answer is the answer. */
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
