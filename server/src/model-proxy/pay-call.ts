import type { CallOutcome, CallToPay } from '../budgets/index.ts'
import type { SpanRow } from '../telemetry/index.ts'

/** Fields of a body in which callers limit the length of an answer. */
export const outputLimitFields = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'] as const

/** What budgets must know of a call before it is made. */
export function callToPay(draft: SpanRow, body: ReadonlyMap<string, unknown> | undefined): CallToPay {
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
export function outcomeToPay(row: SpanRow): CallOutcome {
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
