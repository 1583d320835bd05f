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
	limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Maximum results' }),
}

/** An insight about servers and their tools: a list of findings, the most important first. */
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
				truncated: Type.Boolean({ description: 'Whether there was more data than one request examines' }),
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
			summary: 'List the tools that agents were offered and which of them they called; never called first',
			description:
				'`listed`: whether the gateway lists the tool for the agent now. `offered` and `chosen` cover model calls whose content was recorded.',
		},
		ofBoth,
		Strict(
			{
				agent: Ref,
				server: Nullable(Ref),
				tool: Type.String(),
				listed: Type.Boolean(),
				offered: Type.Integer({ description: 'Model calls whose request contained the definition' }),
				chosen: Type.Integer({ description: 'How often a model requested the tool' }),
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
			summary: 'List changes of tool definitions with errors and latency before and after, newest first',
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
			summary: 'List arguments that servers rejected, by tool and field, most frequent first',
			description:
				'Taken from the answers of servers to calls through the gateway. Only names of arguments are recorded, never values.',
		},
		ofBoth,
		Strict(
			{
				server: Ref,
				tool: Type.String(),
				field: Nullable(Type.String({ description: 'Null: the server did not name it' })),
				failures: Type.Integer({ description: 'Calls refused because of it' }),
				calls: Type.Integer({ description: 'All calls of the tool through the gateway' }),
				failure_rate: Type.Number(),
				agents: Type.Integer({ description: 'Number of agents affected' }),
				last_at: Time,
				trace_id: Type.String({ description: 'Trace of the newest call' }),
			},
			{ title: 'InvalidArgument' },
		),
	),
	retry_loops: insight(
		'retry_loops',
		{
			title: 'RetryLoops',
			summary:
				'List retry loops: repeated calls of one agent with the same tool and arguments, longest first',
			description:
				'Calls through the gateway, at most ten minutes apart. Arguments are compared by `signalbox.arguments_hash`.',
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
				in_calls_ms: Type.Number({ description: 'Total duration of the calls' }),
				model_calls: Type.Integer({ description: 'The agent’s model calls in the same time' }),
				...money('model_cost', 'Sum over the priced calls'),
				last_status: Type.String(),
				trace_id: Type.String({ description: 'Trace of the last call' }),
			},
			{ title: 'RetryLoop' },
		),
	),
	overlaps: insight(
		'overlaps',
		{
			title: 'ToolOverlaps',
			summary: 'List tools of different servers with nearly the same name or description, most similar first',
			description: 'Compares current definitions. With `agent`: of the servers that it may use.',
		},
		ofBoth,
		Strict(
			{
				first: OverlappingTool,
				second: OverlappingTool,
				same_name: Type.Boolean({ description: 'The same name, ignoring case and separators' }),
				name_similarity: Type.Number({ description: '0 to 1, by shared words' }),
				description_similarity: Type.Number({ description: '0 to 1, by shared words' }),
			},
			{ title: 'ToolOverlap' },
		),
	),
	unregistered_servers: insight(
		'unregistered_servers',
		{
			title: 'UnregisteredServers',
			summary: 'List MCP servers that telemetry names and that are not registered, most calls first',
			description:
				'Identified by the address that clients called, or by the service that recorded the call. `registered_as`: a registered server that was called without the gateway.',
		},
		ofAgent,
		Strict(
			{
				seen_as: Type.String({ description: '`address` (host:port) or `service`' }),
				name: Type.String(),
				registered_as: Nullable(Ref),
				calls: Type.Integer({ description: 'Recorded tool calls' }),
				errors: Type.Integer(),
				tools: Type.Integer({ description: 'Number of different tools' }),
				callers: Type.Array(Type.String(), { description: 'Calling agents and services, at most 10' }),
				first_seen_at: Time,
				last_seen_at: Time,
				trace_id: Type.String({ description: 'Trace of the newest call' }),
			},
			{ title: 'UnregisteredServer' },
		),
	),
}

/** The findings as a file. Not an operation of the API, because the answer is text. */
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
