import type { AlertFigure, Asked } from '@signalbox/contract'
import type { CallFigures } from '../context.ts'

export type CallFilter = Asked['filter']

/** A figure as one number; null where there is nothing to take it of. */
export const figureOf: Record<AlertFigure, (figures: CallFigures) => number | null> = {
	calls: ({ calls }) => calls,
	errors: ({ errors }) => errors,
	error_rate: ({ error_rate }) => error_rate,
	latency_p50_ms: ({ latency_ms }) => latency_ms.p50,
	latency_p95_ms: ({ latency_ms }) => latency_ms.p95,
	latency_p99_ms: ({ latency_ms }) => latency_ms.p99,
	tokens: ({ tokens }) => Object.values(tokens).reduce((sum, count) => sum + count, 0),
	cost_usd: ({ cost_nano_usd }) => Number(cost_nano_usd) / 1e9,
	unpriced_calls: ({ unpriced_calls }) => unpriced_calls,
	sessions: ({ sessions }) => sessions,
	users: ({ users }) => users,
}

/** What a figure is called in a sentence. */
export const figureNames: Record<AlertFigure, string> = {
	calls: 'calls',
	errors: 'errors',
	error_rate: 'error rate',
	latency_p50_ms: 'latency p50 in ms',
	latency_p95_ms: 'latency p95 in ms',
	latency_p99_ms: 'latency p99 in ms',
	tokens: 'tokens',
	cost_usd: 'cost in US dollars',
	unpriced_calls: 'unpriced calls',
	sessions: 'sessions',
	users: 'users',
}
