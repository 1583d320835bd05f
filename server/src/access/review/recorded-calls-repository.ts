import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { readStore } from '../../telemetry/index.ts'

type QueryStore = Pick<TelemetryStore, 'query'>

/** Calls that are equal for an access decision. 64-bit numbers are text. */
export interface RecordedCalls {
	agent: string
	server: string
	tool: string
	calls: string
	first_ms: string
	last_ms: string
	/** Up to 3 of the newest, newest first: 128-bit numbers, smaller for newer calls, which `findTraces` decodes. */
	samples: string[]
}

/** All calls that no change concerns are one row, with '' for agent, server and tool. */
export interface CallCounts extends RecordedCalls {
	/** Calls without a server. */
	without_server: string
	request_bytes: string
}

export interface CallsWithArguments extends RecordedCalls {
	/** JSON, or '' if they were not recorded. */
	arguments: string
}

export interface Pair {
	agentId: string
	serverId: string
}

/** Calls of agents through the gateway and the playground, including refused ones. */
const isCall = `workspace_id = {workspace:String} AND source = 'gateway' AND kind = 'tool_call' AND agent_id != ''
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
/** The negated time and a hash of the trace in one number: selecting the smallest pairs costs the engine four times as much. */
const sample =
	'bitShiftLeft(toUInt128(9223372036854775807 - toUnixTimestamp64Nano(started_at)), 64) + cityHash64(trace_id)'
const figures = `count() AS calls, toUnixTimestamp64Milli(min(started_at)) AS first_ms, toUnixTimestamp64Milli(max(started_at)) AS last_ms,
	arrayMap(s -> toString(s), groupArraySorted(3)(${sample})) AS samples`

/** How often each tool of the pairs was called, and how often everything else. */
export function countCalls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	pairs: readonly Pair[],
): Promise<CallCounts[]> {
	const touched = `(agent_id, server_id) IN (SELECT x.1, x.2
		FROM (SELECT arrayJoin(arrayZip({agents:Array(String)}, {servers:Array(String)})) AS x))`
	return readStore(() =>
		store.query<CallCounts>(
			`SELECT if(touched, toString(agent_id), '') AS agent, if(touched, toString(server_id), '') AS server,
				if(touched, toString(tool_name), '') AS tool, ${figures},
				countIf(server_id = '') AS without_server, sum(request_bytes) AS request_bytes
			FROM (SELECT agent_id, server_id, tool_name, started_at, trace_id, spans.request_bytes, ${touched} AS touched
				FROM spans WHERE ${isCall})
			GROUP BY agent, server, tool`,
			{
				...rangeParameters(workspaceId, range),
				agents: pairs.map(({ agentId }) => agentId),
				servers: pairs.map(({ serverId }) => serverId),
			},
		),
	)
}

/** The engine checks its limits after each block of rows. */
const usualBlock = 65_409

/**
 * The calls of some tools by their arguments. Beyond about `most` different ones, further arguments are left out; the caller
 * derives their number from `countCalls`.
 */
export function listArguments(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	tools: readonly Pick<RecordedCalls, 'agent' | 'server' | 'tool'>[],
	max: number,
): Promise<CallsWithArguments[]> {
	return readStore(() =>
		store.query<CallsWithArguments>(
			`SELECT toString(agent_id) AS agent, toString(server_id) AS server, toString(tool_name) AS tool,
				if(mapContains(attributes, 'signalbox.redacted'), '', attributes['gen_ai.tool.call.arguments']) AS arguments, ${figures}
			FROM spans WHERE ${isCall} AND (agent_id, server_id, tool_name) IN (SELECT x.1, x.2, x.3
				FROM (SELECT arrayJoin(arrayZip({agents:Array(String)}, {servers:Array(String)}, {tools:Array(String)})) AS x))
			GROUP BY agent, server, tool, arguments
			SETTINGS max_rows_to_group_by = ${max}, group_by_overflow_mode = 'any', max_block_size = ${Math.min(max, usualBlock)}`,
			{
				...rangeParameters(workspaceId, range),
				agents: tools.map(({ agent }) => agent),
				servers: tools.map(({ server }) => server),
				tools: tools.map(({ tool }) => tool),
			},
		),
	)
}

/** The traces of samples; those deleted in the meantime are absent. */
export async function findTraces(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	samples: readonly string[],
): Promise<Map<string, string>> {
	if (samples.length === 0) return new Map()
	const found = await readStore(() =>
		store.query<{ sample: string; trace: string }>(
			`SELECT toString(${sample}) AS sample, lower(hex(trace_id)) AS trace
			FROM spans WHERE ${isCall} AND ${sample} IN (SELECT toUInt128(arrayJoin({samples:Array(String)})))`,
			{ ...rangeParameters(workspaceId, range), samples },
		),
	)
	return new Map(found.map(({ sample, trace }) => [sample, trace]))
}

/** How an agent used a tool of a server. 64-bit numbers are text. */
export interface UseRow {
	agent: string
	server: string
	tool: string
	/** Tool calls that were not refused. */
	calls: string
	last_ms: string
	/** Prompts, resources and completions. */
	beside: string
}

/** Without lists, which clients request when they connect, whatever they need. */
const besideTools = "kind = 'mcp' AND mcp_method IN ('prompts/get', 'resources/read', 'completion/complete')"

export function listUse(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
): Promise<UseRow[]> {
	const used = "kind = 'tool_call' AND status != 'denied'"
	return readStore(() =>
		store.query<UseRow>(
			`SELECT toString(agent_id) AS agent, toString(server_id) AS server, toString(tool_name) AS tool, countIf(${used}) AS calls,
				toUnixTimestamp64Milli(maxIf(started_at, ${used})) AS last_ms, countIf(${besideTools} AND status != 'denied') AS beside
			FROM spans WHERE workspace_id = {workspace:String} AND source != 'otlp' AND agent_id != ''
				AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
			GROUP BY agent, server, tool`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
}

function rangeParameters(workspaceId: string, { startMs, endMs }: TimeRange) {
	return { workspace: workspaceId, start: startMs, end: endMs }
}
