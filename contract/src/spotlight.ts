import { Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import { Nullable, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { rangeQuery } from './telemetry.ts'

const figures = {
	calls: Type.Integer({ description: 'Tool calls and model calls' }),
	errors: Type.Integer(),
	error_rate: Nullable(Type.Number({ description: 'errors / calls; null without calls' })),
	latency_ms: Strict(
		{ p50: Nullable(Type.Number()), p95: Nullable(Type.Number()), p99: Nullable(Type.Number()) },
		{ title: 'Latency' },
	),
	tool_calls: Type.Integer(),
	model_calls: Type.Integer(),
	tokens: Strict(
		{
			input: Type.Integer(),
			cache_read: Type.Integer(),
			cache_write: Type.Integer(),
			output: Type.Integer(),
			reasoning: Type.Integer(),
		},
		{ title: 'TokenSums', description: 'Exclusive buckets: they add up' },
	),
	cost_nano_usd: Type.String({ description: 'Sum of the priced calls, integer nano-dollars' }),
	cost_usd: Type.String({ description: 'The same as decimal text' }),
	unpriced_calls: Type.Integer({ description: 'Model calls without a price: not in the sum' }),
	sessions: Type.Integer(),
	users: Type.Integer(),
}

export const Overview = Strict({ start: Time, end: Time, ...figures }, { title: 'SpotlightOverview' })

const Bucket = Strict(
	{
		start: Time,
		calls: Type.Integer(),
		errors: Type.Integer(),
		tool_calls: Type.Integer(),
		model_calls: Type.Integer(),
	},
	{ title: 'TimeBucket' },
)

export const spotlightOperations = {
	overview: operation({
		id: 'spotlight.overview',
		method: 'GET',
		path: '/v1/spotlight/overview',
		summary: 'Calls, errors, latency, tokens and cost of a time range (default: the last 24 hours)',
		access: byRoleOrScope('viewer', 'spotlight:read'),
		query: Strict(rangeQuery),
		status: 200,
		response: Overview,
	}),
	timeseries: operation({
		id: 'spotlight.timeseries',
		method: 'GET',
		path: '/v1/spotlight/timeseries',
		summary: 'Calls and errors over time, in at most 120 equal buckets',
		access: byRoleOrScope('viewer', 'spotlight:read'),
		query: Strict(rangeQuery),
		status: 200,
		response: Strict(
			{ start: Time, end: Time, interval_ms: Type.Integer(), buckets: Type.Array(Bucket) },
			{ title: 'Timeseries' },
		),
	}),
}
