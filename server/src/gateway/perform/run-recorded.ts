import {
	afterSending,
	errorMessage,
	failureOf,
	namedFailure,
	RpcFailure,
	resultMessage,
	rpcCodes,
	toFailure,
} from '../../mcp-client/index.ts'
import { nowNs } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { announcedFacts, endedFacts } from './operation-facts.ts'
import type { Plan, PlanResult } from './plan.ts'

/** The state of an operation between its plan and its answer. */
export type RunState =
	/** Access is decided; nothing is in the log. */
	| 'planned'
	/** In the log as interrupted. From here on it has an outcome. */
	| 'announced'
	/** Running; it may have reached its server. */
	| 'running'
	| 'answered'
	| 'failed'
	/** Its outcome is on disk. */
	| 'recorded'
	/** It ran, but its outcome could not be written. */
	| 'unrecorded'
	| 'ended'

type Step = 'announce' | 'run' | 'answer' | 'fail' | 'record' | 'lose' | 'end'

/** All transitions. A refused operation fails without running; one that the log does not accept stays planned. */
export const transitions: Readonly<Record<RunState, Readonly<Partial<Record<Step, RunState>>>>> = {
	planned: { announce: 'announced' },
	announced: { run: 'running', fail: 'failed' },
	running: { answer: 'answered', fail: 'failed' },
	answered: { record: 'recorded', lose: 'unrecorded' },
	failed: { record: 'recorded', lose: 'unrecorded' },
	recorded: { end: 'ended' },
	unrecorded: { end: 'ended' },
	ended: {},
}

/** The state after a step. Throws for a step that the state does not allow, because it would record or answer twice. */
export function after(state: RunState, step: Step): RunState {
	const next = transitions[state][step]
	if (next === undefined) throw new Error(`An operation that is ${state} cannot ${step}.`)
	return next
}

/**
 * Runs a planned operation: announces it in the log before it is sent upstream, and flushes its outcome before the answer ends.
 * Rejects with `recorder_full` before anything has happened.
 */
export function runRecorded(
	gateway: Gateway,
	operation: Operation,
	plan: Plan,
	guard: RequestContext['guard'],
	begun?: StartedOperation,
): Promise<void> {
	const run = new OperationRun(gateway, operation, plan, begun?.startNs ?? nowNs())
	return begun?.intent ? run.goOn(guard, begun.intent, begun.beganMs) : run.run(guard)
}

/** How an operation began while it was still a plain call. */
export interface StartedOperation {
	/** Its announcement, or null if there is none yet. */
	intent: Intent | null
	startNs: bigint
	beganMs: number
}

/** One operation in its progress through the states. */
class OperationRun {
	readonly #gateway: Gateway
	readonly #operation: Operation
	readonly #plan: Plan
	readonly #startNs: bigint
	#state: RunState = 'planned'

	constructor(gateway: Gateway, operation: Operation, plan: Plan, startNs: bigint) {
		this.#startNs = startNs
		this.#gateway = gateway
		this.#operation = operation
		this.#plan = plan
	}

	async run(guard: RequestContext['guard']): Promise<void> {
		const { calls, running, clock } = this.#gateway
		const { workspaceId } = this.#operation.caller
		const decidedMs = clock.nowMs()
		const refusal = this.#decide()
		watchPermissions(this.#gateway, this.#operation, this.#plan, guard)
		const facts = announcedFacts(this.#gateway, this.#operation, this.#plan, this.#startNs)
		const intent = await calls.announce('tool', workspaceId, facts)
		this.#step('announce')
		const hasWaited = clock.nowMs() - decidedMs > decisionValidMs
		const entry = running.add(this.#operation)
		const outcome = await this.#settle(refusal ?? (hasWaited ? this.#decide() : null))
		running.remove(entry)
		await this.#record(intent, outcome)
	}

	/** Continues a call that was announced at `beganMs` and may have reached its server. */
	async goOn(guard: RequestContext['guard'], intent: Intent, beganMs: number): Promise<void> {
		const { running } = this.#gateway
		const { begun, cancellation } = this.#operation
		const refusal = this.#decide()
		watchPermissions(this.#gateway, this.#operation, this.#plan, guard)
		this.#step('announce')
		const entry = running.add(this.#operation, beganMs)
		const settled = this.#settle(begun ? null : refusal)
		// A call that may have reached its server is cancelled there.
		if (refusal) cancellation.cancel(refusal)
		const outcome = await settled
		running.remove(entry)
		await this.#record(intent, outcome)
	}

	#step(step: Step): void {
		this.#state = after(this.#state, step)
	}

	/** An exception while deciding becomes a failure of the operation. */
	#decide(): RpcFailure | null {
		try {
			return refusalNow(this.#gateway, this.#operation, this.#plan)
		} catch (error) {
			return failureOf(error)
		}
	}

	async #settle(refused: RpcFailure | null): Promise<PlanResult | RpcFailure> {
		const { cancellation, request } = this.#operation
		const refusal = cancellation.failure ?? refused
		if (refusal) return this.#fail(refusal)
		this.#step('run')
		try {
			const result = await this.#plan.run()
			if (cancellation.failure) return this.#fail(cancellation.failure)
			this.#step('answer')
			return result
		} catch (error) {
			const failure = cancellation.failure ?? failureOf(error)
			if (failure.errorType === 'internal')
				this.#gateway.log.error({ err: error, method: request.method }, 'gateway: operation failed')
			return this.#fail(failure)
		}
	}

	/** Only an operation that was never sent counts as refused. */
	#fail(failure: RpcFailure): RpcFailure {
		this.#step('fail')
		return this.#operation.sending.isSent ? afterSending(failure) : failure
	}

	/** The answer ends only when its record is on disk. */
	async #record(intent: Intent, outcome: PlanResult | RpcFailure): Promise<void> {
		const { request, reply, caller } = this.#operation
		const failure = outcome instanceof RpcFailure ? outcome : null
		const message =
			failure?.errorType === 'cancelled'
				? ''
				: failure
					? errorMessage(request.id, failure)
					: resultMessage(request.id, (outcome as PlanResult).json)
		const responseBytes = reply.bytesWith(message)
		const isRecorded = await this.#conclude(
			intent,
			endedFacts(this.#gateway, this.#operation, this.#plan, this.#startNs, outcome, responseBytes),
		)
		this.#gateway.noteSeen(caller.agentId)
		this.#step(isRecorded ? 'record' : 'lose')
		this.#step('end')
		if (!isRecorded) reply.end(errorMessage(request.id, notRecorded()), 503)
		else if (message === '') reply.end('', 200)
		else reply.end(message, failure ? httpStatusOf(this.#operation, failure) : 200)
	}

	async #conclude(intent: Intent, facts: Buffer): Promise<boolean> {
		try {
			await this.#gateway.calls.conclude(intent, facts)
			return true
		} catch (error) {
			this.#gateway.log.error({ err: error }, 'gateway: the outcome of a call could not be recorded')
			return false
		}
	}
}

type Intent = Awaited<ReturnType<Gateway['calls']['announce']>>

/** Permission changes are reported at once, and expiry within a second, so a decision is valid for that long. */
const decisionValidMs = 1000

/**
 * Why the operation is refused, or null. Called when the body is complete, which may take long, and again whenever permissions
 * change.
 */
export function refusalNow(
	gateway: Gateway,
	operation: Pick<Operation, 'caller'>,
	plan: Pick<Plan, 'refusal'>,
): RpcFailure | null {
	if (gateway.isStale()) return toFailure(new Problem('stale_permissions'))
	const problem = gateway.mayFinish(operation.caller.principal)
	return problem ? deniedBy(problem) : plan.refusal()
}

function deniedBy({ code, message }: Problem): RpcFailure {
	return namedFailure(rpcCodes.accessDenied, code, message, { status: 'denied' })
}

/** Cancels the operation when changed permissions would refuse it. */
function watchPermissions(
	gateway: Gateway,
	operation: Operation,
	plan: Plan,
	guard: RequestContext['guard'],
): void {
	let failure: RpcFailure | null = null
	guard(
		() => {
			failure = refusalNow(gateway, operation, plan)
			return failure && new Problem('forbidden', failure.message)
		},
		// Without a failure of its own, the ingress refuses the caller's address, or the check has thrown.
		(problem) => {
			const refused = problem instanceof Problem ? deniedBy(problem) : failureOf(problem)
			operation.cancellation.cancel(failure ?? refused)
		},
	)
}

export function notRecorded(): RpcFailure {
	return namedFailure(
		rpcCodes.internal,
		'store_unavailable',
		'The operation ran, but its record could not be written.',
	)
}

/** In the modern era an unknown method is HTTP 404, and a client without the required capability 400. */
function httpStatusOf({ client }: Operation, { code, httpStatus }: RpcFailure): number {
	if (client.era === 'legacy' || httpStatus !== 200) return httpStatus
	return modernStatuses.get(code) ?? httpStatus
}

const modernStatuses: ReadonlyMap<number, number> = new Map([
	[rpcCodes.methodNotFound, 404],
	[rpcCodes.missingCapability, 400],
])
