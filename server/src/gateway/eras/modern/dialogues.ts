import { hash, randomBytes } from 'node:crypto'
import {
	isObject,
	type JsonObject,
	namedFailure,
	type RpcFailure,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { askableCapabilities, type InputRequest, understands } from '../../input-requests.ts'
import type { Limits } from '../../limits.ts'
import { inputTimeout, OpenInputRequest, refuseEnded } from '../../open-input-request.ts'
import type { AskOptions, Operation, Retry } from '../../operation.ts'
import { ownResult, type Plan, type PlanResult } from '../../perform/plan.ts'
import type { InputDigests, RequestStates } from '../../request-states.ts'
import type { ForwardedRetries } from './forwarded-retries.ts'

/** The answers of a retry, and to which input requests. */
type BroughtAnswers = Pick<Retry, 'responses' | 'digests'>
const noAnswers: BroughtAnswers = { responses: {}, digests: {} }

/**
 * One operation of a modern client that may need input. It keeps running between the client's tries: a try ends with input requests,
 * and the next one brings the answers.
 */
export class Dialogue {
	readonly id = randomBytes(16).toString('base64url')
	/** The operation of the first try, with the reply and request of the latest one. */
	readonly operation: Operation
	readonly plan: Plan
	/** Since when it has been waiting for its client; null while a try is under way. */
	parkedAtMs: number | null = null
	readonly #brought: BroughtAnswers
	readonly #open = new Map<string, { inputRequest: OpenInputRequest; asked: InputRequest }>()
	#count = 0
	#outcome: Promise<PlanResult> | null = null
	#wake = () => {}

	/** `brought`: answers in a retry whose first try is unknown to this process. */
	constructor(operation: Operation, plan: Plan, brought: BroughtAnswers = noAnswers) {
		this.operation = operation
		this.plan = plan
		this.#brought = brought
		operation.ask = (inputRequest, options = {}) => this.#ask(inputRequest, options)
	}

	/** The result, or null when the client has to answer first. */
	async round(): Promise<PlanResult | null> {
		if (!this.#outcome) {
			this.#outcome = Promise.resolve(this.plan.run())
			this.#outcome.catch(() => {})
		}
		while (true) {
			const asked = new Promise<null>((resolve) => {
				// Input requests made at the same time go to the client together.
				this.#wake = () => void setImmediate(resolve, null)
			})
			if (this.#open.size > 0) this.#wake()
			const result = await Promise.race([this.#outcome, asked])
			if (result !== null || this.#open.size > 0) return result
		}
	}

	/** Continues with the client's answers; missing ones are requested again. */
	resume(next: Operation, responses: JsonObject): void {
		const { request, reply, cancellation } = next
		this.operation.request = request
		this.operation.facts ??= new Map()
		next.facts = this.operation.facts
		next.sending = this.operation.sending
		this.operation.reply = reply
		cancellation.handOver((failure) => this.operation.cancellation.cancel(failure))
		for (const [key, { inputRequest }] of this.#open) {
			const result = Object.hasOwn(responses, key) ? responses[key] : undefined
			if (isObject(result)) inputRequest.answer({ result, error: null })
		}
	}

	/** `inputRequests` of the result. */
	get asked(): Record<string, InputRequest> {
		return Object.fromEntries([...this.#open].map(([key, { asked }]) => [key, asked]))
	}

	get digests(): InputDigests {
		return Object.fromEntries([...this.#open].map(([key, { asked }]) => [key, digestOf(asked)]))
	}

	async #ask(asked: InputRequest, options: AskOptions): Promise<JsonObject | 'unsupported'> {
		if (!understands(this.operation.client.capabilities, asked)) return 'unsupported'
		refuseEnded(this.operation, options)
		this.#count += 1
		const key = `input-${this.#count}`
		const { responses, digests } = this.#brought
		// Started again, the operation may ask for something else first, for instance if an approval was given meanwhile.
		const isSame = Object.hasOwn(digests, key) && digests[key] === digestOf(asked)
		const known = isSame && Object.hasOwn(responses, key) ? responses[key] : undefined
		if (isObject(known)) return known
		const inputRequest = new OpenInputRequest(this.operation, options, () => this.#open.delete(key))
		this.#open.set(key, { inputRequest, asked: { method: asked.method, params: asked.params } })
		this.#wake()
		return inputRequest.answered
	}
}

function digestOf({ method, params }: InputRequest): string {
	return hash('sha256', JSON.stringify([method, params]), 'base64url')
}

const askingMethods = ['tools/call', 'prompts/get', 'resources/read']
/** Limit of waiting operations per agent; beyond it, no more input can be requested. */
const maxHeld = 256

/** The operations of modern clients that wait, or may wait, for their client's answer. */
export class Dialogues {
	readonly #held = new Map<string, Dialogue>()
	readonly #clock: Clock
	readonly #limits: Limits
	readonly #states: RequestStates
	readonly #forwarded: ForwardedRetries

	constructor(clock: Clock, limits: Limits, states: RequestStates, forwarded: ForwardedRetries) {
		this.#forwarded = forwarded
		this.#clock = clock
		this.#limits = limits
		this.#states = states
	}

	/** The plan with input requests: starts the operation, or continues the one that the retry names. */
	around(operation: Operation, plan: Plan, retry: Retry | null): Plan {
		if (!askingMethods.includes(operation.request.method) || !isAskable(operation)) return plan
		if (retry) return { ...plan, run: () => this.#goOn(operation, plan, retry) }
		if (this.#countOf(operation) >= maxHeld) return plan
		return { ...plan, run: () => this.#round(new Dialogue(operation, plan)) }
	}

	/** A call that has reached its server can only be continued, never restarted. One that has not may start again, once. */
	async #goOn(operation: Operation, plan: Plan, retry: Retry): Promise<PlanResult> {
		const held = this.#held.get(retry.heldId)
		if (!held && retry.isSent) return this.#forwarded.forward(operation, retry, lost())
		if (held?.parkedAtMs === null) throw busy()
		if (!retry.isSent) await this.#states.useOnce(operation, retry.stateId)
		if (held) return this.resume(held, operation, retry.responses)
		return this.#round(new Dialogue(operation, plan, retry))
	}

	/** Ends operations whose caller may no longer perform them, as decided by `refusalOf`. */
	recheck(refusalOf: (dialogue: Dialogue) => RpcFailure | null): void {
		for (const dialogue of this.#held.values()) {
			const refusal = refusalOf(dialogue)
			if (refusal) this.#drop(dialogue, refusal)
		}
	}

	/** Gives up on clients that do not return. */
	tick(): void {
		const nowMs = this.#clock.nowMs()
		for (const dialogue of this.#held.values())
			if (dialogue.parkedAtMs !== null && Math.abs(nowMs - dialogue.parkedAtMs) > this.#limits.askMs)
				this.#drop(dialogue, inputTimeout(this.#limits.askMs))
	}

	closeAll(): void {
		for (const dialogue of this.#held.values()) this.#drop(dialogue, lost())
	}

	find(id: string): Dialogue | undefined {
		return this.#held.get(id)
	}

	/** Continues a waiting operation. */
	resume(dialogue: Dialogue, operation: Operation, responses: JsonObject): Promise<PlanResult> {
		if (dialogue.parkedAtMs === null) return Promise.reject(busy())
		dialogue.parkedAtMs = null
		dialogue.resume(operation, responses)
		return this.#round(dialogue)
	}

	async #round(dialogue: Dialogue): Promise<PlanResult> {
		this.#held.set(dialogue.id, dialogue)
		try {
			const result = await dialogue.round()
			if (result) this.#held.delete(dialogue.id)
			else dialogue.parkedAtMs = this.#clock.nowMs()
			return result ?? this.#inputRequired(dialogue)
		} catch (error) {
			this.#held.delete(dialogue.id)
			throw error
		}
	}

	#inputRequired({ id, operation, asked, digests }: Dialogue): PlanResult {
		const { isSent } = operation.sending
		const requestState = this.#states.seal(operation, { kind: 'held', id, isSent, digests })
		return ownResult({ resultType: 'input_required', inputRequests: asked, requestState })
	}

	#drop(dialogue: Dialogue, failure: RpcFailure): void {
		this.#held.delete(dialogue.id)
		dialogue.operation.cancellation.cancel(failure)
	}

	#countOf({ caller }: Operation): number {
		let count = 0
		for (const { operation } of this.#held.values())
			if (operation.caller.agentId === caller.agentId) count += 1
		return count
	}
}

function isAskable({ client }: Operation): boolean {
	return isObject(client.capabilities) && Object.keys(askableCapabilities(client.capabilities)).length > 0
}

/** The operation has ended, or the process that held it. Sending the call again could run it twice. */
function lost(): RpcFailure {
	const text =
		'The call that waited for this answer is over, and may have had effects. Begin a new one if that is right.'
	return namedFailure(rpcCodes.internal, 'request_state_lost', text)
}

function busy(): RpcFailure {
	const text = 'An answer for this call was received before, and the call is still running.'
	return namedFailure(rpcCodes.invalidParams, 'request_state_used', text)
}
