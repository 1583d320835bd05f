import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { presentMoney } from '../../ledger/ledger.ts'
import type { CallSums, Visitors } from './call-sums-repository.ts'

type Overview = OutputOf<(typeof spotlightOperations)['overview']>
export type CallFigures = Omit<Overview, 'start' | 'end' | 'ambiguous_calls' | 'previous' | 'groups'>

/** Sums as the API shows them. */
export function presentFigures(sums: CallSums, visitors: Visitors): CallFigures {
	const [calls, errors] = [Number(sums.calls), Number(sums.errors)]
	return {
		calls,
		errors,
		error_rate: calls === 0 ? null : errors / calls,
		latency_ms: toLatency(sums),
		tool_calls: Number(sums.tool_calls),
		model_calls: Number(sums.model_calls),
		tokens: {
			input: Number(sums.input),
			cache_read: Number(sums.cache_read),
			cache_write: Number(sums.cache_write),
			output: Number(sums.output),
			reasoning: Number(sums.reasoning),
		},
		...presentMoney('cost', sums.cost_nano_usd ?? '0'),
		unpriced_calls: Number(sums.unpriced_calls),
		sessions: Number(visitors.sessions),
		users: Number(visitors.users),
	}
}

function toLatency({ timed, quantiles_ns }: CallSums): Overview['latency_ms'] {
	const [p50, p95, p99] = quantiles_ns.map((ns) => (timed === '0' ? null : Number(ns) / 1e6))
	return { p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null }
}
