import { type TSchema, Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { conditionFilter } from './conditions.ts'
import { operation } from './operation.ts'
import { spanStatuses } from './span-status.ts'
import { Bucket, Figures, figures, Group, inQuestion, Label, named, UsageRow } from './spotlight-figures.ts'
import { rangeQuery } from './telemetry.ts'

export const Overview = Strict(
	{
		start: Time,
		end: Time,
		...figures,
		ambiguous_calls: Type.Integer({
			description:
				'Views that belong to one of several calls without it being known to which; not counted in addition to these. Listed by `/v1/spotlight/ambiguous`',
		}),
		/** The same for the previous range of the same length; only with `compare`. */
		previous: Type.Optional(Figures),
		/** The largest groups; only with `group_by`. */
		groups: Type.Optional(Type.Array(UsageRow)),
	},
	{ title: 'SpotlightOverview' },
)

const text = (description: string) =>
	Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }))

/** The calls to include; all conditions must hold. */
export const filterQuery = {
	kind: Type.Optional(
		OneOf(['tool_call', 'model_call', 'mcp'], {
			description: 'Only this kind; `mcp`: resources, prompts and the like',
		}),
	),
	status: Type.Optional(OneOf(spanStatuses, { description: 'Only calls with this status' })),
	agent: Type.Optional(Id),
	server: Type.Optional(Id),
	tool: text("Only this tool, by the server's own name"),
	provider: text('Only calls to models of this provider'),
	model: text('Only calls answered by this model'),
	connection: text('Only calls over this connection'),
	user: text('Only calls of this user, as named by the client'),
	session: text('Only calls of this session'),
	client: text('Only calls of this client program, `name/version`'),
	error_type: text('Only calls with this error type'),
	resource: text('Only requests about this resource of an MCP server, by its URI'),
	prompt: text('Only requests about this prompt of an MCP server, by its name'),
	filter: conditionFilter,
}

/** The properties by which calls can be listed: `GET /v1/spotlight/{list}`. */
export const spotlightLists = [
	'tools',
	'resources',
	'prompts',
	'servers',
	'agents',
	'models',
	'users',
	'clients',
	'sessions',
	'errors',
] as const

const measures = ['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost'] as const
/** The sort orders of Spotlight's lists, largest first; changes are relative to the previous range, up or down. */
export const spotlightSorts = [
	...measures,
	'last_seen',
	...([
		'calls_change',
		'errors_change',
		'error_rate_change',
		'p95_change',
		'tokens_change',
		'cost_change',
	] as const),
] as const

const GroupBy = (maxItems: number, description: string) =>
	Type.Optional(
		Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
			maxItems,
			description: `${description}: fields and attributes, named as in \`filter\`; may be repeated`,
		}),
	)
const compare = Type.Optional(
	OneOf(['previous'], { description: 'Also return the figures of the previous range of the same length' }),
)
export const listQuery = {
	...rangeQuery,
	...filterQuery,
	group_by: GroupBy(3, 'What rows are grouped by, in addition to the list’s own field'),
	compare,
	sort: OneOf(spotlightSorts, {
		default: 'calls',
		description: 'Largest first, or biggest change',
	}),
	limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'Maximum results' }),
}

const AmbiguousView = Strict(
	{
		kind: OneOf(['tool_call', 'model_call']),
		tool: Nullable(Type.String()),
		model: Nullable(Type.String()),
		trace_id: Type.String(),
		span_id: Type.String(),
		name: Type.String(),
		service_name: Nullable(Type.String()),
		status: Type.String(),
		started_at: Time,
		may_be: Strict(
			{ trace_id: Type.String(), span_id: Type.String() },
			{
				title: 'AmbiguousCall',
				description: 'One of the calls that it may be a view of: the next in order of time',
			},
		),
	},
	{ title: 'AmbiguousView' },
)

const ScoreFigures = Strict(
	{
		name: Type.String(),
		scores: Type.Integer(),
		average: Nullable(Type.Number({ description: 'Of numeric scores; null without any' })),
		min: Nullable(Type.Number()),
		max: Nullable(Type.Number()),
		median: Nullable(Type.Number()),
		labels: Type.Array(Strict({ label: Type.String(), scores: Type.Integer() }, { title: 'ScoreLabel' }), {
			description: 'Categories, and `true` and `false`; the most frequent 50',
		}),
		last_scored_at: Time,
	},
	{ title: 'ScoreFigures' },
)

export const Facet = Strict(
	{
		field: Type.String(),
		values: Type.Array(
			Strict(
				{
					value: Type.String(),
					label: Nullable(Type.String({ description: 'Latest name of the agent or server' })),
					count: Type.Integer(),
					errors: Type.Integer(),
				},
				{ title: 'FacetValue' },
			),
			{ description: 'Most frequent first, without calls that have no value' },
		),
		total: Type.Integer({ description: 'Number of distinct values' }),
	},
	{ title: 'Facet' },
)

/** A list of calls by one property, with their figures. */
function breakdown<const Noun extends string, Keys extends Record<string, TSchema>>(
	noun: Noun,
	title: string,
	summary: string,
	keys: Keys,
) {
	const Row = Strict(
		{ ...keys, ...figures, first_seen_at: Time, last_seen_at: Time, ...inQuestion },
		{ title },
	)
	const list = { [noun]: Type.Array(Row) } as Record<Noun, Type.TArray<typeof Row>>
	return operation({
		id: `spotlight.${noun}`,
		method: 'GET',
		path: `/v1/spotlight/${noun}`,
		summary,
		access: byScope('spotlight:read'),
		query: Strict(listQuery),
		status: 200,
		response: Strict(
			{
				start: Time,
				end: Time,
				...list,
				total: Type.Integer({ description: 'Number of rows in the range' }),
			},
			{ title: `Spotlight${noun[0]?.toUpperCase()}${noun.slice(1)}` },
		),
	})
}

export const spotlightOperations = {
	overview: operation({
		id: 'spotlight.overview',
		method: 'GET',
		path: '/v1/spotlight/overview',
		summary: 'Calls, errors, latency, tokens and cost of a time range (default: the last 24 hours)',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			...filterQuery,
			group_by: GroupBy(3, 'Also the figures of the 50 largest groups by'),
			compare,
		}),
		status: 200,
		response: Overview,
	}),
	timeseries: operation({
		id: 'spotlight.timeseries',
		method: 'GET',
		path: '/v1/spotlight/timeseries',
		summary: 'Calls, errors and cost over time, in equal buckets',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			...filterQuery,
			interval: Type.Optional(
				Type.String({
					pattern: '^[1-9][0-9]{0,5}[smhdw]$',
					description: 'Length of a bucket: 30s, 5m, 1h, 1d',
				}),
			),
			interval_ms: Type.Optional(
				Type.Integer({
					minimum: 1000,
					description: 'Length of a bucket in milliseconds; by default chosen for at most 120 buckets',
				}),
			),
			group_by: GroupBy(3, 'Also the ten groups with the most calls, each over time, by'),
			compare,
		}),
		status: 200,
		response: Strict(
			{
				start: Time,
				end: Time,
				interval_ms: Type.Integer(),
				buckets: Type.Array(Bucket),
				/** Only with `group_by`. */
				series: Type.Optional(
					Type.Array(Strict({ group: Group, buckets: Type.Array(Bucket) }, { title: 'TimeSeriesGroup' })),
				),
				/** The buckets of the previous range, equal in number; only with `compare`. */
				previous_buckets: Type.Optional(Type.Array(Bucket)),
			},
			{ title: 'Timeseries' },
		),
	}),
	usage: operation({
		id: 'spotlight.usage',
		method: 'GET',
		path: '/v1/spotlight/usage',
		summary: 'Calls, tokens and cost by any fields and attributes',
		access: byScope('spotlight:read'),
		query: Strict({ ...listQuery, group_by: GroupBy(5, 'Default: provider and model') }),
		status: 200,
		response: Strict(
			{ start: Time, end: Time, usage: Type.Array(UsageRow), total: Type.Integer() },
			{ title: 'SpotlightUsage' },
		),
	}),
	tools: breakdown('tools', 'ToolFigures', 'Tools that were called', { server: named, tool: Type.String() }),
	resources: breakdown('resources', 'ResourceFigures', 'Resources of MCP servers that were read', {
		server: named,
		resource: Type.String({ description: 'URI; empty when the span has none' }),
	}),
	prompts: breakdown('prompts', 'PromptFigures', 'Prompts of MCP servers that were requested', {
		server: named,
		prompt: Type.String(),
	}),
	servers: breakdown('servers', 'ServerFigures', 'Servers whose tools were called', {
		server: named,
		registered: Type.Boolean({
			description: 'False: seen only in telemetry, named by its spans or their service',
		}),
	}),
	agents: breakdown(
		'agents',
		'AgentFigures',
		'Agents that called; those without an id were seen only in telemetry',
		{
			agent: named,
		},
	),
	models: breakdown('models', 'ModelFigures', 'Models that were called', { provider: Label, model: Label }),
	users: breakdown('users', 'UserFigures', 'People, as named by clients', { user_id: Label }),
	clients: breakdown('clients', 'ClientFigures', 'Client programs', { client: Label }),
	sessions: breakdown('sessions', 'SessionFigures', 'Sessions: the runs of clients', {
		session_id: Type.String(),
		is_derived: Type.Boolean({ description: 'True: derived, not named by a client; see docs/spotlight.md' }),
		agent: named,
		user_id: Label,
		client: Label,
		ended_at: { ...Time, description: 'When the last of its calls in the range ended' },
	}),
	scores: operation({
		id: 'spotlight.scores',
		method: 'GET',
		path: '/v1/spotlight/scores',
		summary: 'Scores of a time range, by name',
		description:
			'A filter selects the scores of traces and sessions with a matching call. `true` and `false` count as 1 and 0.',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			...filterQuery,
			limit: Type.Integer({
				minimum: 1,
				maximum: 1000,
				default: 50,
				description: 'Maximum results',
			}),
		}),
		status: 200,
		response: Strict(
			{ start: Time, end: Time, scores: Type.Array(ScoreFigures) },
			{ title: 'SpotlightScores' },
		),
	}),
	ambiguous: operation({
		id: 'spotlight.ambiguous',
		method: 'GET',
		path: '/v1/spotlight/ambiguous',
		summary: 'List views that belong to one of several calls without it being known to which',
		description:
			'Newest first. They are not counted in addition to these calls, and none of these inherits their session or user.',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			...filterQuery,
			limit: Type.Integer({
				minimum: 1,
				maximum: 1000,
				default: 50,
				description: 'Maximum results',
			}),
		}),
		status: 200,
		response: Strict(
			{ start: Time, end: Time, ambiguous: Type.Array(AmbiguousView), total: Type.Integer() },
			{ title: 'SpotlightAmbiguous' },
		),
	}),
	facets: operation({
		id: 'spotlight.facets',
		method: 'GET',
		path: '/v1/spotlight/facets',
		summary: 'The most frequent values of chosen fields, with their counts',
		description:
			'All fields are counted in one query. Conditions on a field do not narrow its own values, so that another value can be selected.',
		access: byScope('spotlight:read'),
		query: Strict({
			...rangeQuery,
			...filterQuery,
			fields: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
				minItems: 1,
				maxItems: 16,
				description: 'Fields and attributes, named as in `filter`; may be repeated',
			}),
			of: OneOf(['calls', 'spans', 'sessions'], {
				default: 'calls',
				description:
					'`calls`: each call once; `spans`: every recorded span, as in `/v1/telemetry/spans`; `sessions`: sessions with a matching call, as in `/v1/spotlight/sessions`',
			}),
			limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Values per field' }),
		}),
		status: 200,
		response: Strict({ start: Time, end: Time, facets: Type.Array(Facet) }, { title: 'SpotlightFacets' }),
	}),
	errors: breakdown('errors', 'ErrorFigures', 'What went wrong, by its kind and where', {
		error_type: Label,
		kind: Type.String(),
		status: Type.String(),
		server: named,
		tool: Label,
		model: Label,
		message: Type.String({ description: 'Of the newest' }),
		trace_id: Type.String({ description: 'Of the newest' }),
	}),
}
