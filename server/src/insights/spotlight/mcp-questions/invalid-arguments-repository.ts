import { readStore } from '../../../telemetry/index.ts'
import type { McpContext, McpQuestion } from './context.ts'
import { inRange, ofAgent, ofServer, parametersOf } from './in-range.ts'

/** Refusals of one argument of a tool; 64-bit numbers as text. */
export interface InvalidArgumentRow {
	server: string
	server_label: string
	tool: string
	/** '' where the server did not say which. */
	field: string
	failures: string
	agents: string
	last_ms: string
	trace: string
	found: string
}

const names = "attributes['signalbox.invalid_arguments']"

/** The most frequent first. */
export function findInvalidArguments(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	{ limit, ...asked }: McpQuestion,
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
