import type { McpQuestion } from './context.ts'

/** Rows of the workspace in the range of a question, with its `parametersOf`; `table` is a name in a join. */
export function inRange(time = 'started_at', table = ''): string {
	const of = table === '' ? '' : `${table}.`
	return `${of}workspace_id = {workspace:String} AND ${of}${time} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
	AND ${of}${time} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
}

/** Rows of the agent that was asked for, or of all. */
export const ofAgent = "({agent:String} = '' OR agent_id = {agent:String})"
export const ofServer = "({server:String} = '' OR server_id = {server:String})"

export function parametersOf({ workspaceId, range, agent = '', server = '' }: Omit<McpQuestion, 'limit'>) {
	return { workspace: workspaceId, start: range.startMs, end: range.endMs, agent, server }
}
