import type { callFields } from '@signalbox/contract'
import { countedCallNames } from '../rollups/rollup-tables.ts'
import type { NamedColumn } from './attribute-conditions.ts'

const text = (sql: string): NamedColumn => ({ sql, type: 'text' })
const number = (sql: string): NamedColumn => ({ sql, type: 'number' })

/** What conditions and groups may name of a span: names come from here only, and attributes go as parameters. */
const columns: Record<(typeof callFields)[number], NamedColumn> = {
	kind: text('kind'),
	status: text('status'),
	agent: text('agent_id'),
	agent_name: text('agent_name'),
	server: text('server_id'),
	server_name: text('server_name'),
	tool: text('tool_name'),
	provider: text('provider'),
	model: text("if(model != '', model, model_requested)"),
	model_requested: text('model_requested'),
	connection: text('connection'),
	user: text('user_id'),
	session: text('session_id'),
	client: text('client'),
	error_type: text('error_type'),
	status_message: text('status_message'),
	service: text('service_name'),
	duration_ms: number('duration_ns / 1e6'),
	input_tokens: number('input_tokens'),
	cache_read_tokens: number('cache_read_tokens'),
	cache_write_tokens: number('cache_write_tokens'),
	output_tokens: number('output_tokens'),
	reasoning_tokens: number('reasoning_tokens'),
	cost_usd: number('spans.cost_nano_usd / 1e9'),
	name: text('name'),
	source: text('source'),
	dialect: text('dialect'),
	mcp_method: text('mcp_method'),
	resource: text("attributes['mcp.resource.uri']"),
	prompt: text("attributes['gen_ai.prompt.name']"),
	key: text('credential_id'),
	http_status: number('http_status'),
	request_bytes: number('request_bytes'),
	response_bytes: number('response_bytes'),
	time_to_first_token_ms: number('time_to_first_token_ns / 1e6'),
	text: {
		sql: 'arrayConcat([name, toString(error_type), status_message, events], mapValues(attributes))',
		type: 'anywhere',
	},
}
export const callColumns: ReadonlyMap<string, NamedColumn> = new Map([
	...Object.entries(columns),
	// Other filters name an agent so; without this it would be taken for an attribute, which no call has.
	['agent_uuid', columns.agent],
])

/** Columns of spans that the rollup has not, and where attributes are. */
const onSpansAlone = [
	...['name', 'source', 'dialect', 'mcp_method', 'credential_id', 'http_status'],
	...['request_bytes', 'response_bytes', 'time_to_first_token_ns', 'attributes', 'resource', 'events'],
] as const
export const columnsOfConditions: readonly string[] = [...countedCallNames, ...onSpansAlone]

/** Whether a name can be read from spans alone: an attribute, or a column that the rollup has not. */
export function needsSpans(name: string): boolean {
	const column = callColumns.get(name)
	return !column || onSpansAlone.some((other) => column.sql.split(/\W+/).includes(other))
}
