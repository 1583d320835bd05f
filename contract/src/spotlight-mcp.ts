import { type TProperties, type TSchema, Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { money } from './money.ts'
import { operation } from './operation.ts'
import { rangeQuery } from './telemetry.ts'

const Ref = Strict({ id: Id, name: Type.String() }, { title: 'McpQuestionRef' })
const Rate = Nullable(Type.Number({ description: 'Between 0 and 1; null without calls' }))
const Calls = Type.Integer({ description: 'Tool calls, each counted once' })

const ofAgent = { agent: Type.Optional(Id) }
const ofBoth = { ...ofAgent, server: Type.Optional(Id) }
const insightQuery = {
	...rangeQuery,
	limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'How many at most' }),
}

/** An insight about servers and their tools: a list of findings, the one to look at first in front. */
function insight<const Noun extends string, Row extends TSchema, Query extends TProperties>(
	noun: Noun,
	text: { summary: string; description: string; title: string },
	query: Query,
	row: Row,
) {
	const list = { [noun]: Type.Array(row) } as Record<Noun, Type.TArray<Row>>
	return operation({
		id: `spotlight.mcp_${noun}`,
		method: 'GET',
		path: `/v1/spotlight/mcp/${noun.replaceAll('_', '-')}`,
		summary: text.summary,
		description: text.description,
		access: byScope('spotlight:read'),
		query: Strict({ ...insightQuery, ...query }),
		status: 200,
		response: Strict(
			{
				start: Time,
				end: Time,
				...list,
				total: Type.Integer({ description: 'Number of findings' }),
				truncated: Type.Boolean({ description: 'Whether more data was found than one answer can examine' }),
			},
			{ title: text.title },
		),
	})
}

const VersionFigures = Strict(
	{
		hash: Type.String({ description: 'SHA-256 over the canonical definition' }),
		since: Time,
		until: Time,
		calls: Calls,
		errors: Type.Integer(),
		error_rate: Rate,
		p95_ms: Nullable(Type.Number()),
	},
	{ title: 'DefinitionVersionFigures' },
)

const OverlappingTool = Strict(
	{ server: Ref, tool: Type.String(), calls: Calls },
	{ title: 'OverlappingTool' },
)

export const spotlightMcpOperations = {
	tool_selection: insight(
		'tool_selection',
		{
			title: 'ToolSelection',
			summary: 'Tools that agents were offered, and which of them they called; never called first',
			description:
				'`listed` is as of now: whether the gateway lists the tool for the agent. `offered` and `chosen` are of model calls whose content was recorded.',
		},
		ofBoth,
		Strict(
			{
				agent: Ref,
				server: Nullable(Ref),
				tool: Type.String(),
				listed: Type.Boolean(),
				offered: Type.Integer({ description: 'Model calls whose request contained the definition' }),
				chosen: Type.Integer({ description: 'How often a model called for the tool' }),
				choice_rate: Rate,
				calls: Calls,
				errors: Type.Integer(),
				last_called_at: Nullable(Time),
			},
			{ title: 'SelectedTool' },
		),
	),
	definition_changes: insight(
		'definition_changes',
		{
			title: 'DefinitionChanges',
			summary: 'Changes of tool definitions, with errors and latency before and after; newest first',
			description:
				'`before` and `after` count calls inside the range, back to the previous change and up to the next one.',
		},
		ofBoth,
		Strict(
			{
				server: Ref,
				tool: Type.String(),
				changed_at: Time,
				before: VersionFigures,
				after: VersionFigures,
				error_rate_change: Nullable(Type.Number({ description: 'After minus before; null without calls' })),
				p95_change_ms: Nullable(Type.Number()),
			},
			{ title: 'DefinitionChange' },
		),
	),
	invalid_arguments: insight(
		'invalid_arguments',
		{
			title: 'InvalidArguments',
			summary: 'Arguments that servers rejected, by tool and field; most frequent first',
			description:
				'From the answers of servers to calls through the gateway: only names of arguments are recorded, never values.',
		},
		ofBoth,
		Strict(
			{
				server: Ref,
				tool: Type.String(),
				field: Nullable(Type.String({ description: 'Null: the server did not say which' })),
				failures: Type.Integer({ description: 'Calls that were refused for it' }),
				calls: Type.Integer({ description: 'All calls of the tool through the gateway' }),
				failure_rate: Type.Number(),
				agents: Type.Integer({ description: 'Number of agents affected' }),
				last_at: Time,
				trace_id: Type.String({ description: 'Of the newest' }),
			},
			{ title: 'InvalidArgument' },
		),
	),
	retry_loops: insight(
		'retry_loops',
		{
			title: 'RetryLoops',
			summary: 'Retry loops: the same agent, tool and arguments again and again; longest first',
			description:
				'Calls through the gateway that are at most ten minutes apart. Arguments are compared by `signalbox.arguments_hash`.',
		},
		{
			...ofBoth,
			min_calls: Type.Integer({
				minimum: 2,
				maximum: 1000,
				default: 3,
				description: 'Minimum number of calls',
			}),
		},
		Strict(
			{
				agent: Ref,
				server: Ref,
				tool: Type.String(),
				calls: Calls,
				errors: Type.Integer(),
				started_at: Time,
				ended_at: Time,
				in_calls_ms: Type.Number({ description: 'Time that the calls took together' }),
				model_calls: Type.Integer({ description: 'The agent’s model calls in the same time' }),
				...money('model_cost', 'Of those that are priced'),
				last_status: Type.String(),
				trace_id: Type.String({ description: 'Of the last call' }),
			},
			{ title: 'RetryLoop' },
		),
	),
	overlaps: insight(
		'overlaps',
		{
			title: 'ToolOverlaps',
			summary: 'Tools of different servers with nearly the same name or description; the most alike first',
			description: 'Of the definitions as they are now. With `agent`: of the servers that it may use.',
		},
		ofBoth,
		Strict(
			{
				first: OverlappingTool,
				second: OverlappingTool,
				same_name: Type.Boolean({ description: 'But for case and what stands between words' }),
				name_similarity: Type.Number({ description: 'Between 0 and 1, of words' }),
				description_similarity: Type.Number({ description: 'Between 0 and 1, of words' }),
			},
			{ title: 'ToolOverlap' },
		),
	),
	unregistered_servers: insight(
		'unregistered_servers',
		{
			title: 'UnregisteredServers',
			summary: 'MCP servers that telemetry names and that are not registered; the most calls first',
			description:
				'By the address that clients called, or the service that recorded the call. `registered_as`: a registered server that was called without going through the gateway.',
		},
		ofAgent,
		Strict(
			{
				seen_as: Type.String({ description: '`address` (host:port) or `service`' }),
				name: Type.String(),
				registered_as: Nullable(Ref),
				calls: Type.Integer({ description: 'Tool calls that were recorded of it' }),
				errors: Type.Integer(),
				tools: Type.Integer({ description: 'How many different tools' }),
				callers: Type.Array(Type.String(), { description: 'Agents and services that called, at most 10' }),
				first_seen_at: Time,
				last_seen_at: Time,
				trace_id: Type.String({ description: 'Of the newest' }),
			},
			{ title: 'UnregisteredServer' },
		),
	),
}

/** The findings as a file. No operation of the API: it answers text. */
export const spotlightMcpExport = {
	id: 'spotlight.mcp_export',
	method: 'GET',
	path: '/v1/spotlight/mcp/export',
	access: byScope('spotlight:read'),
	query: Strict({
		...insightQuery,
		...ofBoth,
		question: OneOf([
			'tool_selection',
			'definition_changes',
			'invalid_arguments',
			'retry_loops',
			'overlaps',
			'unregistered_servers',
		]),
		format: OneOf(['csv', 'jsonl'], { default: 'csv' }),
	}),
} as const
