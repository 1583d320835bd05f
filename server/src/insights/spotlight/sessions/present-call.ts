import type { OutputOf, spotlightSessionOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { SessionMessages } from './read-messages.ts'
import type { StoredCall, StoredWay } from './repository.ts'

type Call = OutputOf<(typeof spotlightSessionOperations)['session']>['calls'][number]

/** A call as the timeline shows it. */
export function presentCall(
	call: StoredCall,
	messages: SessionMessages | null,
	way: StoredWay | undefined,
): Call {
	const isModel = call.kind === 'model_call'
	return {
		trace_id: call.trace,
		span_id: call.span,
		turn: Number(call.turn),
		kind: call.kind,
		started_at: toIso(Number(BigInt(call.start_ns) / 1_000_000n)),
		duration_ms: call.status === 'interrupted' ? null : Number(call.duration) / 1e6,
		gap_ms: call.gap_ns === null ? null : Number(call.gap_ns) / 1e6,
		status: call.status,
		error_type: call.error_type || null,
		status_message: call.status_message,
		server: {
			id: call.server_id || null,
			name: call.server_name || (isModel ? null : call.service_name || null),
		},
		tool: call.tool_name || null,
		provider: call.provider || null,
		model: call.served_model || null,
		tokens: isModel ? tokensOf(call) : null,
		...presentMoney('cost', call.cost),
		...presentMoney('cost_so_far', call.so_far),
		messages,
		...presentWay(way),
	}
}

function tokensOf(call: StoredCall): Call['tokens'] {
	return {
		input: Number(call.input_tokens),
		cache_read: Number(call.cache_read_tokens),
		cache_write: Number(call.cache_write_tokens),
		output: Number(call.output_tokens),
		reasoning: Number(call.reasoning_tokens),
	}
}

function presentWay(
	way: StoredWay | undefined,
): Pick<Call, 'time_to_first_token_ms' | 'approval' | 'attempts'> {
	if (!way) return { time_to_first_token_ms: null, approval: null, attempts: [] }
	return {
		time_to_first_token_ms: way.first_token_ns === null ? null : Number(way.first_token_ns) / 1e6,
		approval: way.decision
			? { id: way.approval || null, decision: way.decision, waited_ms: Number(way.waited_ms) || 0 }
			: null,
		attempts: attemptsOf(way.attempts),
	}
}

type Attempt = Call['attempts'][number]

/** As the model proxy writes them; what anybody else sent under that name is left out. */
function attemptsOf(text: string): Attempt[] {
	if (text === '') return []
	try {
		const found: unknown = JSON.parse(text)
		return Array.isArray(found) ? found.map(presentAttempt) : []
	} catch {
		return []
	}
}

function presentAttempt(attempt: Partial<Record<keyof Attempt, unknown>> | null): Attempt {
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
	return {
		connection: text(attempt?.connection) ?? '',
		model: text(attempt?.model),
		error_type: text(attempt?.error_type),
		duration_ms: Number(attempt?.duration_ms) || 0,
	}
}
