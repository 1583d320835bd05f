import type { TimeRange } from '../../../platform/time-range.ts'
import { readStore } from '../../../telemetry/index.ts'
import { filterSql } from '../call-filter.ts'
import { callSource } from '../call-source.ts'
import { isError } from '../counted-calls.ts'
import type { McpContext, McpQuestion } from './context.ts'

/** A time of a tool; up to the next one of the same tool, or the end of the range. */
export interface Stretch {
	server: string
	tool: string
	fromMs: number
}

/** The calls of a stretch; 64-bit numbers as text. */
export interface StretchSums {
	/** Its place in the list. */
	stretch: string
	calls: string
	errors: string
	timed: string
	p95_ns: string
}

const timed = "status != 'interrupted'"

export async function sumStretches(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	{ workspaceId, agent }: Pick<McpQuestion, 'workspaceId' | 'agent'>,
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
