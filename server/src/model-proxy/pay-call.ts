import type { CallOutcome, CallToPay, Hold, Spending } from '../budgets/index.ts'
import type { Problem } from '../platform/errors.ts'
import type { SpanRow } from '../telemetry/index.ts'
import type { Step } from './reliability/call-plan.ts'

/** Fields of a body in which callers limit the length of an answer. */
export const outputLimitFields = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'] as const

/** What budgets hold for one call: for the model that it is with now. */
export class CallMoney {
	readonly #spending: Pick<Spending, 'hold'>
	#call: CallToPay | null = null
	#hold: Hold | null = null

	constructor(spending: Pick<Spending, 'hold'>) {
		this.#spending = spending
	}

	/** Throws Problem 402 where a budget refuses the call. */
	holdFor(step: Step, draft: SpanRow, body: ReadonlyMap<string, unknown> | undefined): Promise<void> | void {
		if (draft.kind !== 'model_call') return
		this.#call = callToPay(draft, body)
		return this.moveTo(step)
	}

	/** Holds what the call may cost there, in place of what was held before. */
	async moveTo({ connection, target, model }: Step): Promise<void> {
		this.release()
		const call = this.#call
		if (!call) return
		const { provider } = target
		this.#hold = await this.#spending.hold({ ...call, connection, provider, model: model ?? call.model })
	}

	/** See `Hold.progress`. */
	progress(generatedBytes: number): Promise<Problem | null> | null {
		return this.#hold?.progress(generatedBytes) ?? null
	}

	/** Nothing went to a provider, or what went costs nothing. */
	release(): void {
		this.#hold?.release()
		this.#hold = null
	}

	settle(row: SpanRow): void {
		this.#hold?.settle(outcomeToPay(row))
	}
}

/** What budgets must know of a call before it is made. */
function callToPay(draft: SpanRow, body: ReadonlyMap<string, unknown> | undefined): CallToPay {
	const limits = outputLimitFields.map((name) => body?.get(name)).filter(isCount)
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
		outputLimit: limits.length > 0 ? Math.max(...limits) : null,
	}
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e9
}

/** Failures before a provider had anything of the call. */
const unsent: ReadonlySet<string> = new Set(['upstream_unreachable', 'blocked_address', 'recorder_full'])

/** What a call came to, for its budgets. */
function outcomeToPay(row: SpanRow): CallOutcome {
	if (unsent.has(row.errorType)) return { costNanoUsd: 0n, tokens: { input: 0, output: 0 }, reported: false }
	// The cost of a refusal is zero, and so are its tokens.
	const unknown = row.usageSource === 'missing' && row.costNanoUsd === null
	const tokens = {
		input: row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens,
		output: row.outputTokens + row.reasoningTokens,
	}
	return {
		costNanoUsd: row.costNanoUsd,
		tokens: unknown ? null : tokens,
		reported: row.usageSource === 'reported',
	}
}
