import type { AgentView } from '../../../access/agents/agents.ts'
import type { GrantView } from '../../../access/grants/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import type { ServerView } from '../../../servers/servers.ts'
import type { QueryStore } from '../counted-calls.ts'

/** What insights about servers and their tools are made from. */
export interface InsightContext {
	telemetry: QueryStore
	store: Pick<ControlStore, 'db'>
	agents: AgentView
	servers: ServerView
	grants: GrantView
	clock: Clock
	/** Where this gateway is reached: what goes there goes to a registered server. */
	publicAddress(): string
}

/** Of one workspace. */
export interface InsightRequest {
	workspaceId: string
	range: TimeRange
	agent?: string
	server?: string
	/** Of loops: from how many calls on. */
	min_calls?: number
	limit: number
}

/** How often an agent called a tool of a server, as rows tell it; 64-bit numbers as text. */
export interface CalledTool {
	agent: string
	agent_label: string
	server: string
	server_label: string
	tool: string
	calls: string
	errors: string
}

/** What was found, before it is presented with its range. */
export interface Findings<Row> {
	rows: Row[]
	total: number
	truncated: boolean
}

/** Rows of the workspace in the range of an insight, with its `parametersOf`; `table` is a name in a join. */
export function inRange(time = 'started_at', table = ''): string {
	const of = table === '' ? '' : `${table}.`
	return `${of}workspace_id = {workspace:String} AND ${of}${time} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
	AND ${of}${time} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
}

/** Rows of the agent that was asked for, or of all. */
export const ofAgent = "({agent:String} = '' OR agent_id = {agent:String})"
export const ofServer = "({server:String} = '' OR server_id = {server:String})"

export function parametersOf({ workspaceId, range, agent = '', server = '' }: Omit<InsightRequest, 'limit'>) {
	return { workspace: workspaceId, start: range.startMs, end: range.endMs, agent, server }
}
