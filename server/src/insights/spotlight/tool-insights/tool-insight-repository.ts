import type { Queryable } from '../../../platform/database/database.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { readStore } from '../../../telemetry/index.ts'
import { filterSql } from '../call-filter.ts'
import { callSource } from '../call-source.ts'
import { isError } from '../counted-calls.ts'
import {
	type CalledTool,
	type InsightContext,
	type InsightRequest,
	inRange,
	ofAgent,
	ofServer,
	parametersOf,
} from './tool-insight-context.ts'

/** The agents of a workspace, or the requested one. */
export function listAgents(
	db: Queryable,
	workspaceId: string,
	agentId?: string,
): Promise<{ id: string; name: string }[]> {
	return db
		.selectFrom('agents')
		.select(['id', 'name'])
		.where('workspace_id', '=', workspaceId)
		.$if(agentId !== undefined, (query) => query.where('id', '=', agentId as string))
		.orderBy('id')
		.execute()
}

/** A tool as named in an agent's model calls. 64-bit numbers are text. */
export interface CarriedTool {
	agent: string
	agent_label: string
	name: string
	/** Model calls whose request contained its definition. */
	offered: string
	/** How often a model requested it. */
	chosen: string
}

/** One for each definition in the request, and one for each use in the answer. */
const mentions = `arrayJoin(arrayConcat(
	arrayMap(n -> (n, 1, 0), arrayDistinct(arrayFilter((n, kind) -> kind = 'tool', e.part_name, e.part_kind))),
	arrayMap(n -> (n, 0, 1), e.tool_use_name)))`

/** What model calls of agents offered and what the models chose. */
export function sumCarriedTools(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	asked: Omit<InsightRequest, 'limit'>,
): Promise<CarriedTool[]> {
	return readStore(() =>
		telemetry.query<CarriedTool>(
			`SELECT agent, max(label) AS agent_label, mention.1 AS name, sum(mention.2) AS offered, sum(mention.3) AS chosen
			FROM (
				SELECT s.agent AS agent, s.label AS label, ${mentions} AS mention FROM exchanges AS e INNER JOIN (
					SELECT trace_id, span_id, toString(agent_id) AS agent, agent_name AS label FROM spans
					WHERE ${inRange()} AND source = 'model_proxy' AND kind = 'model_call' AND agent_id != '' AND ${ofAgent}
				) AS s ON e.trace_id = s.trace_id AND e.span_id = s.span_id
				WHERE ${inRange('recorded_at', 'e')}
			) GROUP BY agent, name`,
			parametersOf(asked),
		),
	)
}

/** Refusals of one argument of a tool. 64-bit numbers are text. */
export interface InvalidArgumentRow {
	server: string
	server_label: string
	tool: string
	/** '' if the server did not say which. */
	field: string
	failures: string
	agents: string
	last_ms: string
	trace: string
	found: string
}

const names = "attributes['signalbox.invalid_arguments']"

/** Most frequent first. */
export function findInvalidArguments(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	{ limit, ...asked }: InsightRequest,
): Promise<InvalidArgumentRow[]> {
	return readStore(() =>
		telemetry.query<InvalidArgumentRow>(
			`SELECT toString(server_id) AS server, argMax(server_name, started_at) AS server_label, toString(tool_name) AS tool,
				arrayJoin(splitByChar(',', ${names})) AS field, count() AS failures, uniqExact(agent_id) AS agents,
				toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms, lower(hex(argMax(trace_id, started_at))) AS trace,
				count() OVER () AS found
			FROM spans WHERE ${inRange()} AND source = 'gateway' AND kind = 'tool_call' AND mapContains(attributes, 'signalbox.invalid_arguments')
				AND ${ofAgent} AND ${ofServer}
			GROUP BY server, tool, field ORDER BY failures DESC, server, tool, field LIMIT {limit:UInt32}`,
			{ ...parametersOf(asked), limit },
		),
	)
}

/** The same call several times. */
export interface LoopRow extends CalledTool {
	first_ms: string
	/** When the last of them began, and when all had ended. */
	last_ms: string
	end_ms: string
	in_calls_ns: string
	last_status: string
	trace: string
	found: string
}

/** Calls that are further apart are unrelated. */
const gapMs = 10 * 60 * 1000
/** Maximum number of equal calls; a longer loop is shown with this length. */
const maxCalls = 100_000
const hash = "attributes['signalbox.arguments_hash']"
const key = 'agent_id, server_id, tool_name, hash'

/** Longest first. */
export function findLoops(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	{ limit, ...asked }: InsightRequest,
	least: number,
): Promise<LoopRow[]> {
	const conditions = `${inRange()} AND source = 'gateway' AND kind = 'tool_call' AND ${hash} != '' AND agent_id != ''
		AND ${ofAgent} AND ${ofServer}`
	return readStore(() =>
		telemetry.query<LoopRow>(
			`SELECT toString(agent_id) AS agent, agent_label, toString(server_id) AS server, server_label, toString(tool_name) AS tool,
				length(run) AS calls, countEqual(run.2, 1) AS errors, toString(run[1].1) AS first_ms, toString(run[-1].1) AS last_ms,
				toString(arrayMax(call -> call.1 + intDiv(call.3, 1000000), run)) AS end_ms, arraySum(run.3) AS in_calls_ns, run[-1].4 AS last_status, run[-1].5 AS trace, count() OVER () AS found
			FROM (
				SELECT ${key}, agent_label, server_label,
					arrayJoin(arraySplit((call, gap) -> gap > {gap:Int64}, sorted, arrayDifference(sorted.1))) AS run
				FROM (
					SELECT ${key}, max(agent_name) AS agent_label, max(server_name) AS server_label,
						arraySort(groupArray(${maxCalls})(call)) AS sorted
					FROM (
						SELECT agent_id, server_id, tool_name, ${hash} AS hash, agent_name, server_name,
							(toUnixTimestamp64Milli(started_at), ${isError}, duration_ns, status, lower(hex(trace_id))) AS call
						FROM spans WHERE ${conditions} AND (agent_id, server_id, tool_name, ${hash}) IN (
							SELECT agent_id, server_id, tool_name, ${hash} AS hash FROM spans WHERE ${conditions}
							GROUP BY ${key} HAVING count() >= {least:UInt32})
					) GROUP BY ${key}
				)
			)
			WHERE calls >= {least:UInt32} ORDER BY calls DESC, first_ms, agent, server, tool, trace LIMIT {limit:UInt32}`,
			{ ...parametersOf(asked), least, limit, gap: gapMs },
		),
	)
}

/** The agent's model calls from the first to the last call of a loop. */
export interface MeanwhileRow {
	/** Its index in the list. */
	loop: string
	calls: string
	cost_nano_usd: string
}

export async function sumModelCallsMeanwhile(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	{ workspaceId, range }: Pick<InsightRequest, 'workspaceId' | 'range'>,
	loops: readonly LoopRow[],
): Promise<MeanwhileRow[]> {
	const source = await callSource(telemetry, workspaceId, range)
	return readStore(() =>
		telemetry.query<MeanwhileRow>(
			`SELECT toString(loops.place) AS loop, count() AS calls, toString(ifNull(sum(calls.cost), 0)) AS cost_nano_usd
			FROM (
				SELECT toString(agent_id) AS agent, toUnixTimestamp64Milli(started_at) AS at_ms, spans.cost_nano_usd AS cost
				${source.from} WHERE kind = 'model_call' AND agent_id IN {agents:Array(String)}
			) AS calls INNER JOIN (
				SELECT each.1 AS agent, each.2 AS first_ms, each.3 AS last_ms, each.4 AS place FROM (SELECT arrayJoin(arrayZip(
					{agents:Array(String)}, {firsts:Array(Int64)}, {lasts:Array(Int64)}, range(length({firsts:Array(Int64)})))) AS each)
			) AS loops ON calls.agent = loops.agent
			WHERE at_ms BETWEEN first_ms AND last_ms GROUP BY loop`,
			{
				...source.parameters,
				agents: loops.map(({ agent }) => agent),
				firsts: loops.map(({ first_ms }) => Number(first_ms)),
				lasts: loops.map(({ last_ms }) => Number(last_ms)),
			},
		),
	)
}

/** A period of a tool: up to the next one of the same tool, or the end of the range. */
export interface Stretch {
	server: string
	tool: string
	fromMs: number
}

/** The calls of a period. 64-bit numbers are text. */
export interface StretchSums {
	/** Its index in the list. */
	stretch: string
	calls: string
	errors: string
	timed: string
	p95_ns: string
}

const timed = "status != 'interrupted'"

export async function sumStretches(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	{ workspaceId, agent }: Pick<InsightRequest, 'workspaceId' | 'agent'>,
	range: TimeRange,
	stretches: readonly Stretch[],
): Promise<StretchSums[]> {
	const { sql, parameters } = filterSql({ kind: 'tool_call', ...(agent !== undefined && { agent }) })
	const source = await callSource(telemetry, workspaceId, range)
	return readStore(() =>
		telemetry.query<StretchSums>(
			`SELECT toString(stretches.place) AS stretch, count() AS calls, countIf(${isError}) AS errors, countIf(${timed}) AS timed,
				toString(quantileExactIf(0.95)(duration_ns, ${timed})) AS p95_ns
			FROM (
				SELECT toString(server_id) AS server, toString(tool_name) AS tool, toUnixTimestamp64Milli(started_at) AS at_ms,
					status, duration_ns
				${source.from} WHERE server_id IN {servers:Array(String)}${sql}
			) AS calls ASOF INNER JOIN (
				SELECT each.1 AS server, each.2 AS tool, each.3 AS from_ms, each.4 AS place FROM (SELECT arrayJoin(arrayZip(
					{servers:Array(String)}, {tools:Array(String)}, {froms:Array(Int64)}, range(length({froms:Array(Int64)})))) AS each)
			) AS stretches ON calls.server = stretches.server AND calls.tool = stretches.tool AND calls.at_ms >= stretches.from_ms
			GROUP BY stretch`,
			{
				...source.parameters,
				...parameters,
				servers: stretches.map(({ server }) => server),
				tools: stretches.map(({ tool }) => tool),
				froms: stretches.map(({ fromMs }) => fromMs),
			},
		),
	)
}

/** The calls of one tool of a registered server by one agent. */
export interface ToolCallSums extends CalledTool {
	last_ms: string
}

export async function sumToolCalls(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	{ workspaceId, range, agent, server }: Omit<InsightRequest, 'limit'>,
): Promise<ToolCallSums[]> {
	const { sql, parameters } = filterSql({
		kind: 'tool_call',
		...(agent !== undefined && { agent }),
		...(server !== undefined && { server }),
	})
	const source = await callSource(telemetry, workspaceId, range)
	return readStore(() =>
		telemetry.query<ToolCallSums>(
			`SELECT toString(agent_id) AS agent, argMax(agent_name, started_at) AS agent_label, toString(server_id) AS server,
				argMax(server_name, started_at) AS server_label, toString(tool_name) AS tool, count() AS calls,
				countIf(${isError}) AS errors, toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms
			${source.from} WHERE server_id != ''${sql} GROUP BY agent, server, tool`,
			{ ...source.parameters, ...parameters },
		),
	)
}

/** A server as named in telemetry. 64-bit numbers are text. */
export interface SeenServerRow {
	seen_as: 'address' | 'service'
	name: string
	calls: string
	errors: string
	tools: string
	callers: string[]
	first_ms: string
	last_ms: string
	trace: string
}

const isTool = "kind = 'tool_call'"
/** A client reports the address it called, a server its own name. */
const isClient = "otlp_kind = 3 AND attributes['server.address'] != ''"
const isServer = "otlp_kind != 3 AND (otlp_kind = 2 OR mcp_method != '') AND service_name != ''"
const port = "attributes['server.port']"
const address = `concat(attributes['server.address'], if(${port} = '', '', concat(':', ${port})))`

/**
 * Servers that were called without the gateway, those with the most calls first. A span directly above or below a call of the gateway
 * is a view of that call.
 */
export function findSeenServers(
	{ telemetry }: Pick<InsightContext, 'telemetry'>,
	asked: Omit<InsightRequest, 'limit'>,
	limit: number,
): Promise<SeenServerRow[]> {
	const gateway = `FROM spans WHERE ${inRange()} AND source = 'gateway'`
	return readStore(() =>
		telemetry.query<SeenServerRow>(
			`SELECT if(${isClient}, 'address', 'service') AS seen_as, if(${isClient}, ${address}, service_name) AS name,
				countIf(${isTool}) AS calls, countIf(${isTool} AND ${isError}) AS errors, uniqExactIf(tool_name, ${isTool}) AS tools,
				arraySort(groupUniqArrayIf(10)(caller, caller != '')) AS callers,
				toString(toUnixTimestamp64Milli(min(started_at))) AS first_ms, toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms,
				lower(hex(argMax(trace_id, started_at))) AS trace
			FROM (
				SELECT *, if(agent_name != '', agent_name, if(otlp_kind = 3, service_name, client)) AS caller FROM spans
				WHERE ${inRange()} AND source = 'otlp' AND kind IN ('tool_call', 'mcp') AND server_id = '' AND ((${isClient}) OR (${isServer}))
					AND ${ofAgent}
					AND (trace_id, span_id) NOT IN (SELECT trace_id, parent_span_id ${gateway})
					AND (trace_id, parent_span_id) NOT IN (SELECT trace_id, span_id ${gateway})
			) GROUP BY seen_as, name ORDER BY calls DESC, last_ms DESC, name LIMIT {limit:UInt32}`,
			{ ...parametersOf(asked), limit },
		),
	)
}
