import { readStore } from '../../../telemetry/index.ts'
import { filterSql } from '../call-filter.ts'
import { callSource } from '../call-source.ts'
import { isError } from '../counted-calls.ts'
import type { CalledTool, McpContext, McpQuestion } from './context.ts'

/** The calls of one tool of a registered server by one agent. */
export interface ToolCallSums extends CalledTool {
	last_ms: string
}

export async function sumToolCalls(
	{ telemetry }: Pick<McpContext, 'telemetry'>,
	{ workspaceId, range, agent, server }: Omit<McpQuestion, 'limit'>,
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
