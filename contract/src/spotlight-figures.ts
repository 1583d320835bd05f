import { Type } from 'typebox'
import { MapOf, Nullable, Strict, Time } from './common.ts'
import { money } from './money.ts'

export const Label = Nullable(Type.String())
export const named = Strict({ id: Label, name: Label })

/** The figures of any set of calls. */
export const figures = {
	calls: Type.Integer({
		description:
			'Tool calls and model calls; with `kind=mcp`, and in the lists of resources and prompts, other MCP requests',
	}),
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
	...money('cost', 'Sum of the priced calls'),
	unpriced_calls: Type.Integer({ description: 'Model calls without a price, not in the sum' }),
	sessions: Type.Integer(),
	users: Type.Integer(),
}

export const Figures = Strict(figures, { title: 'CallFigures' })

/** The values of a group, by the names in `group_by`; `` where a call has none. */
export const Group = MapOf(Type.String())

/** Fields of a row that are present only if requested. */
export const inQuestion = {
	group: Type.Optional(Group),
	previous: Type.Optional(Nullable(Figures)),
}

export const UsageRow = Strict(
	{
		...figures,
		first_seen_at: Time,
		last_seen_at: Time,
		...inQuestion,
		group: Group,
	},
	{ title: 'UsageFigures' },
)

export const Bucket = Strict(
	{
		start: Time,
		calls: Type.Integer(),
		errors: Type.Integer(),
		tool_calls: Type.Integer(),
		model_calls: Type.Integer(),
		latency_ms: figures.latency_ms,
		total_tokens: Type.Integer({ description: 'Tokens of all kinds' }),
		...money('cost', 'Sum of the priced calls'),
	},
	{ title: 'TimeBucket' },
)
