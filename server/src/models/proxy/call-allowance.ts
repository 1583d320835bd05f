import type { TokenBuckets } from '../../ledger/ledger.ts'
import { Problem } from '../../platform/errors.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import type { CallOutcome, CallToPay, Hold, Spending } from '../budgets/budgets.ts'
import { type CallBody, cannotRead } from './call-body.ts'
import type { Admission, ModelLimits } from './limits/model-limiter.ts'
import { fieldsIn } from './providers/provider.ts'
import type { CallPlan, Step } from './reliability/call-plan.ts'

/** Fields in which callers limit the length of an answer, in all dialects. */
const lengthFields = [
	...['max_completion_tokens', 'max_output_tokens', 'max_tokens', 'max_tokens_to_sample', 'max_gen_len'],
] as const
/** Objects that contain them in other dialects: Gemini, Converse and Nova, Titan, other makers' models on Vertex AI. */
const settings = [
	'generationConfig',
	'generation_config',
	'inferenceConfig',
	'textGenerationConfig',
	'parameters',
]
const lengthFieldsInSettings = [
	...['maxOutputTokens', 'max_output_tokens', 'maxTokens', 'max_new_tokens', 'maxTokenCount'],
]
/** Fields with the number of answers outside of these objects; OpenAI bills every answer from which the best are chosen. */
const answerFields = ['n', 'best_of'] as const
/** The same in these objects. */
const answersInSettings = ['n', 'candidateCount', 'candidate_count', 'sampleCount']

export const outputLimitFields: readonly string[] = [...lengthFields, ...settings, ...answerFields]

/** The most output tokens that a body asks for, all answers together; null if it has no limit. */
export function outputLimitIn(body: ReadonlyMap<string, unknown> | undefined): number | null {
	if (!body) return null
	let most = -1
	let answers = 1
	const limit = (value: unknown) => {
		if (isCount(value) && value > most) most = value
	}
	const times = (value: unknown) => {
		if (isCount(value) && value > answers) answers = value
	}
	for (const name of lengthFields) limit(body.get(name))
	for (const name of answerFields) times(body.get(name))
	for (const name of settings) {
		const nested = fieldsIn(body.get(name))
		if (!nested) continue
		for (const inner of lengthFieldsInSettings) limit(nested[inner])
		for (const inner of answersInSettings) times(nested[inner])
	}
	return most < 0 ? null : most * answers
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e9
}

export type CallSpending = Pick<
	Spending,
	'concerns' | 'hold' | 'counts' | 'tokensOf' | 'learn' | 'charge' | 'requireRoom'
>

type OnRefused = (step: Step, problem: Problem) => void

/** What limits and budgets allow for one call, for its current model. */
export class CallAllowance {
	readonly #spending: CallSpending
	readonly #limiter: ModelLimits
	readonly #onRefused: OnRefused | undefined
	/** The call as its caller asks for it. */
	#asked: CallToPay | null = null
	/** The call as the last admitted step asks for it. */
	#call: CallToPay | null = null
	/** Set for a call that begins work which is paid for later. */
	#deferring: CallToPay | null = null
	#hold: Hold | null = null
	#admission: Admission | null = null
	#body: CallBody | null = null

	/** `onRefused` is called for each step that limits or budgets refuse in a plan. */
	constructor(
		{ spending, limiter }: { spending: CallSpending; limiter: ModelLimits },
		onRefused?: OnRefused,
	) {
		this.#spending = spending
		this.#limiter = limiter
		this.#onRefused = onRefused
	}

	/** Sets the data of a plain call, instead of `plan`. */
	planPlain(call: CallToPay, body: CallBody): void {
		this.#asked = this.#call = call
		this.#body = body
	}

	/** Sets the call to be counted. Without it, and in a workspace without limits and budgets, everything is allowed. */
	plan(workspaceId: string, asRow: () => SpanRow, body: CallBody, defers = false): void {
		if (!this.#spending.concerns(workspaceId) && !this.#limiter.concerns(workspaceId)) return
		const draft = asRow()
		this.#body = body
		if (draft.kind === 'model_call') this.#asked = this.#call = callToPay(draft, body)
		else if (defers) this.#deferring = callToPay(draft, body)
	}

	/** Whether limits or budgets need the call's outcome. */
	get counts(): boolean {
		return this.#call !== null
	}

	/** `ratelimit-policy` and `ratelimit`, name and value alternating, if a limit counts the call. */
	get headers(): readonly string[] {
		return this.#admission?.headers ?? []
	}

	/** Whether nothing must be checked before the call is sent. */
	get isFree(): boolean {
		return this.#call === null && this.#deferring === null
	}

	/** The first step, from this one on, that limits and budgets admit. */
	async admit(plan: CallPlan, first: Step): Promise<Step> {
		for (let step = first; ; ) {
			try {
				await this.enter(step)
				return step
			} catch (error) {
				if (!(error instanceof Problem)) throw error
				this.#onRefused?.(step, error)
				const next = plan.next('elsewhere', null)
				if (!next) throw error
				step = next.step
			}
		}
	}

	/**
	 * Counts the call for a step and reserves its cost, replacing the previous step's. Synchronous if this process can decide by
	 * itself. Throws, or rejects with, Problem 402 and 429; the call is then settled as that of the previous step.
	 */
	enter({ connection, target, model }: Step): Promise<void> | undefined {
		this.#hold?.giveBack()
		this.#leave(0)
		if (this.#deferring) return this.#spending.requireRoom(this.#deferring)
		if (!this.#asked) return undefined
		const { vendor: provider, provider: kind } = target
		const { connection: asked, provider: from, kind: ofKind } = this.#asked
		const isAsked = model === null && connection === asked && provider === from && kind === ofKind
		const call = isAsked
			? this.#asked
			: { ...this.#asked, connection, provider, kind, model: model ?? this.#asked.model }
		const admission = this.#limiter.enter(call, () => this.#spending.tokensOf(call))
		if (admission instanceof Promise) return admission.then((later) => this.#holdFor(call, later))
		return this.#holdFor(call, admission)
	}

	#holdFor(call: CallToPay, admission: Admission | null): Promise<void> | undefined {
		this.#admission = admission
		const giveUp = (error: unknown): never => {
			this.#leave('unmade')
			throw error
		}
		try {
			this.#requireReadable(call)
			const hold = this.#spending.hold(call)
			if (hold instanceof Promise) return hold.then((later) => this.#goWith(call, later), giveUp)
			this.#goWith(call, hold)
		} catch (error) {
			giveUp(error)
		}
		return undefined
	}

	/** The previous step costs nothing, because another one follows it. */
	#goWith(call: CallToPay, hold: Hold | null): void {
		this.#hold?.release()
		this.#hold = hold
		this.#call = call
	}

	/** A body that cannot be read must not escape being counted, because limits and budgets depend on its content. */
	#requireReadable(call: CallToPay): void {
		if (!this.#body?.fault) return
		if (this.#admission) throw cannotRead(this.#body, 'A limit of the workspace')
		if (this.#spending.counts(call)) throw cannotRead(this.#body, 'A budget of the workspace')
	}

	/** See `Hold.progress`. */
	progress(generatedBytes: number): Promise<Problem | null> | null {
		return this.#hold?.progress(generatedBytes) ?? null
	}

	/** Releases everything: nothing was sent to the provider, so no limit counts it. */
	release(): void {
		this.#hold?.release()
		this.#hold = null
		this.#leave('unmade')
	}

	settle(row: PaidRow, errorType: string): void {
		const outcome = outcomeForBudgets(row, errorType)
		if (this.#hold) this.#hold.settle(outcome)
		else if (this.#call) this.#spending.learn(this.#call, outcome)
		this.#hold = null
		this.#leave(outcome.tokens && outcome.tokens.input + outcome.tokens.output)
	}

	#leave(tokens: number | null | 'unmade'): void {
		this.#admission?.leave(tokens)
		this.#admission = null
	}
}

const limitFields: ReadonlySet<string> = new Set(outputLimitFields)

/** What budgets need to know about a call before it is sent. */
function callToPay(draft: SpanRow, body: CallBody): CallToPay {
	return {
		workspaceId: draft.workspaceId,
		agentId: draft.agentId,
		keyId: draft.credentialId,
		sessionId: draft.sessionId,
		userId: draft.userId,
		connection: draft.connection,
		provider: draft.provider,
		model: draft.modelRequested,
		startNs: draft.startNs,
		requestBytes: draft.requestBytes,
		outputLimit: outputLimitIn(body.fields(limitFields)),
		streamed: isStreamed(draft),
	}
}

/** Some dialects express it in the path: `streamGenerateContent`, `converse-stream`. */
function isStreamed({ attributes }: SpanRow): boolean {
	return attributes.get('signalbox.stream') === true || /stream/i.test(String(attributes.get('url.path')))
}

/** Failures before a provider did anything for the call. */
export const notSentErrorTypes: ReadonlySet<string> = new Set([
	'upstream_unreachable',
	'blocked_address',
	'redirected',
	'recorder_full',
])

/** The columns of a call's row that its budgets need. */
type PaidRow = Pick<SpanRow, 'kind' | 'usageSource' | 'costNanoUsd'> & TokenBuckets

/** The outcome of a call for its budgets. */
export function outcomeForBudgets(row: PaidRow, errorType: string): CallOutcome {
	if (notSentErrorTypes.has(errorType) || row.kind !== 'model_call')
		return { costNanoUsd: 0n, tokens: { input: 0, output: 0 }, reported: false }
	// The cost of a refusal is zero, and so are its tokens.
	const missing = row.usageSource === 'missing' && row.costNanoUsd === null
	const tokens = {
		input: row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens,
		output: row.outputTokens + row.reasoningTokens,
	}
	// No call has as many: they would use up every budget, and what later calls reserve is learned from them.
	const unknown = missing || !isCount(tokens.input + tokens.output)
	return {
		costNanoUsd: row.costNanoUsd,
		tokens: unknown ? null : tokens,
		reported: row.usageSource === 'reported',
	}
}
