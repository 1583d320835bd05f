import type { AgentView } from '../../../access/agents/agents.ts'
import type { GrantView } from '../../../access/grants/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import type { ServerView } from '../../../servers/servers.ts'
import type { QueryStore } from '../counted-calls.ts'

/** The sources of insights about servers and their tools. */
export interface InsightContext {
	telemetry: QueryStore
	store: Pick<ControlStore, 'db'>
	agents: AgentView
	servers: ServerView
	grants: GrantView
	clock: Clock
	/** The address of this gateway: calls to it go to a registered server. */
	publicAddress(): string
}

/** For one workspace. */
export interface InsightRequest {
	workspaceId: string
	range: TimeRange
	agent?: string
	server?: string
	/** For loops: the minimum number of calls. */
	min_calls?: number
	limit: number
}

/** How often an agent called a tool of a server, according to the store's rows. 64-bit numbers are text. */
export interface CalledTool {
	agent: string
	agent_label: string
	server: string
	server_label: string
	tool: string
	calls: string
	errors: string
}

/** The rows of an insight, before they are returned together with its range. */
export interface Findings<Row> {
	rows: Row[]
	total: number
	truncated: boolean
}

/** A condition on rows of the workspace in the range of an insight, with its `parametersOf`. `table` is a name in a join. */
export function inRange(time = 'started_at', table = ''): string {
	const of = table === '' ? '' : `${table}.`
	return `${of}workspace_id = {workspace:String} AND ${of}${time} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
	AND ${of}${time} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
}

/** A condition on rows of the requested agent, or of all. */
export const ofAgent = "({agent:String} = '' OR agent_id = {agent:String})"
export const ofServer = "({server:String} = '' OR server_id = {server:String})"

export function parametersOf({ workspaceId, range, agent = '', server = '' }: Omit<InsightRequest, 'limit'>) {
	return { workspace: workspaceId, start: range.startMs, end: range.endMs, agent, server }
}
