import { readStore } from '../../../telemetry/index.ts'
import { isError } from '../counted-calls.ts'
import type { McpContext, McpQuestion } from './context.ts'
import { inRange, ofAgent, parametersOf } from './in-range.ts'

/** A server as telemetry names it; 64-bit numbers as text. */
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
/** A client says where it called, a server who it is. */
const isClient = "otlp_kind = 3 AND attributes['server.address'] != ''"
const isServer = "otlp_kind != 3 AND (otlp_kind = 2 OR mcp_method != '') AND service_name != ''"
const port = "attributes['server.port']"
const address = `concat(attributes['server.address'], if(${port} = '', '', concat(':', ${port})))`

/**
 * Servers that were called without the gateway: what lies right above or below a call of the gateway is a view of that one.
 * The most calls first.
 */
export function findSeenServers(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	asked: Omit<McpQuestion, 'limit'>,
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
