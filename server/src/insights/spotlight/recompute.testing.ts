import { presentMoney } from '../../ledger/ledger.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import type { Random } from './rollups/random-spans.testing.ts'

/** Computes the same figures the slow way: from rows in memory, one at a time. */

export interface Condition {
	text: string
	holds(row: SpanRow): boolean
}

const attribute = (row: SpanRow, name: string) => row.attributes.get(name) ?? row.resource.get(name)
const textOf = (row: SpanRow, name: string) => {
	const value = attribute(row, name)
	return value === undefined ? '' : String(value)
}
const costOf = (row: SpanRow) => (row.costNanoUsd === null ? null : Number(row.costNanoUsd) / 1e9)
const on = (text: string, holds: Condition['holds']): Condition => ({ text, holds })

/** Names of attributes that SQL, regular expressions or the column of origins could take for something else. */
const oddNames = ["o'clock", 'a.b[0]', 'tab\tname', 'per%25cent', 'ünï \\d'] as const

export const conditions: readonly Condition[] = [
	on('tool~=SEA', ({ toolName }) => toolName.includes('sea')),
	on('tool!=search', ({ toolName }) => toolName !== 'search'),
	on('duration_ms>=2500', ({ durationNs }) => Number(durationNs) / 1e6 >= 2500),
	on('input_tokens<500', ({ inputTokens }) => inputTokens < 500),
	on('cost_usd>0.0005', (row) => (costOf(row) ?? 0) > 0.0005),
	on('!cost_usd', (row) => costOf(row) === null),
	on('user', ({ userId }) => userId !== ''),
	on('!user', ({ userId }) => userId === ''),
	on('source=otlp', ({ source }) => source === 'otlp'),
	on('http_status=500', ({ httpStatus }) => httpStatus === 500),
	on('http_status!=500', ({ httpStatus }) => httpStatus !== 500),
	on('status=error', ({ status }) => status === 'error'),
	on('env=prod', (row) => textOf(row, 'env') === 'prod'),
	on('env!=prod', (row) => textOf(row, 'env') !== 'prod'),
	on('!env', (row) => attribute(row, 'env') === undefined),
	on('retries>=2', (row) => Number(attribute(row, 'retries') ?? -1) >= 2),
	on('region~=eu', (row) => textOf(row, 'region').includes('eu')),
	on('@tool=hammer', (row) => textOf(row, 'tool') === 'hammer'),
	on('server_name', ({ serverName }) => serverName !== ''),
	...oddNames.flatMap((name) => [
		on(name, (row) => attribute(row, name) !== undefined),
		on(`${name}=a\tb`, (row) => textOf(row, name) === 'a\tb'),
		on(`${name}!~=50%25`, (row) => !textOf(row, name).includes('50%25')),
	]),
]

/** The values by which rows are grouped, by field name in the API. */
export const groupFields: Readonly<Record<string, (row: SpanRow) => string>> = {
	tool: ({ toolName }) => toolName,
	status: ({ status }) => status,
	user: ({ userId }) => userId,
	model: ({ model, modelRequested }) => model || modelRequested,
	source: ({ source }) => source,
	http_status: ({ httpStatus }) => (httpStatus === null ? '' : String(httpStatus)),
	env: (row) => textOf(row, 'env'),
	region: (row) => textOf(row, 'region'),
	server_name: ({ serverName }) => serverName,
	...Object.fromEntries(oddNames.map((name) => [name, (row: SpanRow) => textOf(row, name)])),
	'@tool': (row) => textOf(row, 'tool'),
}

/** Gives rows attributes, a resource and a status to which queries can refer. */
export function withAttributes(random: Random, row: SpanRow): SpanRow {
	const attributes = new Map(row.attributes)
	const env = ['prod', 'dev', ''][random(3)]
	if (env) attributes.set('env', env)
	if (random(2)) attributes.set('retries', BigInt(random(4)))
	if (random(4) === 0) attributes.set('tool', 'hammer')
	const resource = new Map(row.resource)
	if (random(3)) resource.set('region', ['eu-1', 'us-1'][random(2)] as string)
	const odd = oddNames[random(oddNames.length)] as string
	const value = ['a\tb', 'x\ny', '50%25', '', 'ß'][random(5)] as string
	if (random(2)) (random(2) ? attributes : resource).set(odd, value)
	// Half of the spans that are no calls are requests, of which some show no session.
	const isRequest = row.kind === 'other' && random(2) === 0
	const mcpMethod = ['tools/list', 'initialize', 'resources/read'][random(3)] as string
	return {
		...{ ...row, attributes, resource, httpStatus: [null, 200, 500][random(3)] as number | null },
		...(row.kind !== 'model_call' && { serverName: ['', 'Docs'][random(2)] as string }),
		...(isRequest && { kind: 'mcp', mcpMethod }),
	}
}

/** Whether a row shows its session and user. */
export const isShown = ({ mcpMethod }: SpanRow) => mcpMethod !== 'tools/list' && mcpMethod !== 'initialize'

const isError = ({ status }: SpanRow) => ['error', 'denied', 'cut', 'interrupted'].includes(status)
const sum = (rows: readonly SpanRow[], of: (row: SpanRow) => number) =>
	rows.reduce((total, row) => total + of(row), 0)
const distinct = (values: readonly string[]) => new Set(values.filter(Boolean)).size

/** The figures of some calls; sessions and users are those of `seen`. */
export function figuresOf(calls: readonly SpanRow[], seen: readonly SpanRow[] = calls) {
	const timed = calls
		.filter(({ status }) => status !== 'interrupted')
		.map(({ durationNs }) => Number(durationNs) / 1e6)
		.sort((a, b) => a - b)
	const quantile = (level: number) =>
		timed[Math.min(timed.length - 1, Math.floor(level * timed.length))] ?? null
	const errors = calls.filter(isError).length
	const toolCalls = calls.filter(({ kind }) => kind === 'tool_call').length
	const cost = calls.reduce((total, { costNanoUsd }) => total + (costNanoUsd ?? 0n), 0n)
	return {
		calls: calls.length,
		errors,
		error_rate: calls.length === 0 ? null : errors / calls.length,
		latency_ms: { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
		tool_calls: toolCalls,
		model_calls: calls.length - toolCalls,
		tokens: {
			input: sum(calls, ({ inputTokens }) => inputTokens),
			cache_read: sum(calls, ({ cacheReadTokens }) => cacheReadTokens),
			cache_write: sum(calls, ({ cacheWriteTokens }) => cacheWriteTokens),
			output: sum(calls, ({ outputTokens }) => outputTokens),
			reasoning: sum(calls, ({ reasoningTokens }) => reasoningTokens),
		},
		...presentMoney('cost', cost),
		unpriced_calls: calls.filter(({ kind, costNanoUsd }) => kind === 'model_call' && costNanoUsd === null)
			.length,
		sessions: distinct(seen.map(({ sessionId }) => sessionId)),
		users: distinct(seen.map(({ userId }) => userId)),
	}
}

/** Rows by the values of some fields, as JSON of `{name: value}`. */
export function groupsOf(rows: readonly SpanRow[], names: readonly string[]): Map<string, SpanRow[]> {
	return Map.groupBy(rows, (row) =>
		JSON.stringify(Object.fromEntries(names.map((name) => [name, groupFields[name]?.(row) ?? '']))),
	)
}
