import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { moneyOrNull } from './money.ts'
import { operation } from './operation.ts'
import { filterQuery } from './spotlight.ts'
import { Label, named } from './spotlight-figures.ts'
import { rangeQuery } from './telemetry.ts'

/** Why a prompt that had been cached was paid for again, in the order in which the causes are checked. */
export const cacheMissCauses = [
	'model_changed',
	'connection_changed',
	'cache_key_changed',
	'not_marked',
	'below_minimum',
	'expired',
	'tools_changed',
	'system_changed',
	'parameters_changed',
	'history_compacted',
	'messages_changed',
	'concurrent',
	'provider_miss',
] as const

const access = byScope('spotlight:read')
const place = { trace_id: Type.String(), span_id: Type.String() }

const amounts = {
	missed_tokens: Type.Integer({
		description: 'Tokens that the previous call left in the cache and this call did not read from it',
	}),
	...moneyOrNull('extra_cost', 'Extra cost compared with reading them from the cache; null without a price'),
}

/** The first changed part of the prompt. */
const ChangedPart = Strict(
	{
		kind: OneOf(['tool', 'system', 'message']),
		name: Type.String({ description: 'Name of the tool, or role of the message' }),
		server: Nullable(Type.String({ description: 'The server, for a tool named `mcp__server__tool`' })),
		position: Type.Integer({
			description: 'Position among the tools, or among the system texts and messages, from 1',
		}),
		change: OneOf(['added', 'removed', 'changed', 'moved']),
	},
	{ title: 'ChangedPart' },
)

const explained = {
	...place,
	started_at: Time,
	session_id: Type.String(),
	agent: named,
	connection: Label,
	provider: Label,
	model: Label,
	cause: OneOf(cacheMissCauses),
	also: Type.Array(OneOf(cacheMissCauses), {
		description: 'Other causes, each of which alone would have caused the miss',
	}),
	part: Nullable(ChangedPart),
	before: Strict(
		{ ...place, started_at: Time, connection: Label, model: Label },
		{ title: 'CallBefore', description: 'The earlier call of the session that the prompt continues' },
	),
	...amounts,
}

const CacheMiss = Strict(explained, { title: 'CacheMiss' })

const CauseSums = Strict(
	{ cause: OneOf(cacheMissCauses), calls: Type.Integer(), ...amounts },
	{ title: 'CacheMissTally' },
)

const Excerpt = Nullable(Type.String({ description: 'Text around the first difference, redacted' }))

const {
	kind: _kind,
	status: _status,
	server: _server,
	tool: _tool,
	error_type: _error,
	...modelFilter
} = filterQuery

/** Conditions on model calls. */
export const modelCallFilter = modelFilter

export const cacheMissOperations = {
	cache_misses: operation({
		id: 'spotlight.cache_misses',
		method: 'GET',
		path: '/v1/spotlight/cache-misses',
		summary:
			'Cache misses: model calls that paid again for a cached prompt, why, and the extra cost, highest first',
		description:
			'Covers calls through the model proxy that belong to a session. The 500 calls in the range with the largest possible miss are examined.',
		access,
		query: Strict({
			...rangeQuery,
			...modelFilter,
			cause: Type.Optional(OneOf(cacheMissCauses, { description: 'Only misses for this reason' })),
			limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'How many at most' }),
		}),
		status: 200,
		response: Strict(
			{
				start: Time,
				end: Time,
				calls: Type.Integer({ description: 'Calls in sessions, with reported usage' }),
				complete: Type.Boolean({ description: 'False: more calls may have missed than were examined' }),
				total: Type.Integer({ description: 'Number of misses found' }),
				...amounts,
				unpriced_calls: Type.Integer({ description: 'Misses without a price, not in the sum' }),
				causes: Type.Array(CauseSums, { description: 'Highest cost first' }),
				cache_misses: Type.Array(CacheMiss),
			},
			{ title: 'CacheMissList' },
		),
	}),
	cache_miss: operation({
		id: 'spotlight.cache_miss',
		method: 'GET',
		path: '/v1/spotlight/cache-misses/{trace_id}/{span_id}',
		summary: 'Whether one model call missed the cache, why, what it cost, and where its prompt first differs',
		access,
		params: Strict({ trace_id: Type.String({ maxLength: 64 }), span_id: Type.String({ maxLength: 64 }) }),
		status: 200,
		response: Strict(
			{
				verdict: OneOf(['miss', 'no_miss', 'not_judged'], {
					description:
						'`not_judged`: no earlier call in its session has the same conversation, its usage is unknown, or its prompt was not recorded',
				}),
				miss: Nullable(CacheMiss),
				difference: Nullable(
					Strict(
						{
							offset: Type.Integer({ description: 'Number of characters that both begin with' }),
							before: Excerpt,
							after: Excerpt,
						},
						{ title: 'FirstDifference' },
					),
				),
			},
			{ title: 'CacheMissExplained' },
		),
		problems: ['not_found'],
	}),
}
