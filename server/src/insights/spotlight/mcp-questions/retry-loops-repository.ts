import { readStore } from '../../../telemetry/index.ts'
import { callSource } from '../call-source.ts'
import { isError } from '../counted-calls.ts'
import type { CalledTool, McpContext, McpQuestion } from './context.ts'
import { inRange, ofAgent, ofServer, parametersOf } from './in-range.ts'

/** The same call several times. */
export interface LoopRow extends CalledTool {
	first_ms: string
	last_ms: string
	in_calls_ns: string
	last_status: string
	trace: string
	found: string
}

/** Calls that are further apart have nothing to do with each other. */
export const gapMs = 10 * 60 * 1000
/** Of the same call; a loop beyond is shown as that long. */
const mostCalls = 100_000
const hash = "attributes['signalbox.arguments_hash']"
const key = 'agent_id, server_id, tool_name, hash'

/** The longest first. */
export function findLoops(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	{ limit, ...asked }: McpQuestion,
	least: number,
): Promise<LoopRow[]> {
	const conditions = `${inRange()} AND source = 'gateway' AND kind = 'tool_call' AND ${hash} != '' AND agent_id != ''
		AND ${ofAgent} AND ${ofServer}`
	return readStore(() =>
		telemetry.query<LoopRow>(
			`SELECT toString(agent_id) AS agent, agent_label, toString(server_id) AS server, server_label, toString(tool_name) AS tool,
				length(run) AS calls, countEqual(run.2, 1) AS errors, toString(run[1].1) AS first_ms, toString(run[-1].1) AS last_ms,
				arraySum(run.3) AS in_calls_ns, run[-1].4 AS last_status, run[-1].5 AS trace, count() OVER () AS found
			FROM (
				SELECT ${key}, agent_label, server_label,
					arrayJoin(arraySplit((call, gap) -> gap > {gap:Int64}, sorted, arrayDifference(sorted.1))) AS run
				FROM (
					SELECT ${key}, max(agent_name) AS agent_label, max(server_name) AS server_label,
						arraySort(groupArray(${mostCalls})(call)) AS sorted
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

/** Model calls of the agent of a loop, from its first to its last call. */
export interface MeanwhileRow {
	/** Its place in the list. */
	loop: string
	calls: string
	cost_nano_usd: string
}

export async function sumModelCallsMeanwhile(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	{ workspaceId, range }: Pick<McpQuestion, 'workspaceId' | 'range'>,
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
