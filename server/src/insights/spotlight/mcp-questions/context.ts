import type { AgentView } from '../../../access/agents/index.ts'
import type { GrantView } from '../../../access/grants/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import type { ServerView } from '../../../servers/index.ts'
import type { QueryStore } from '../repository.ts'

/** What questions about servers and their tools are answered from. */
export interface McpContext {
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
export interface McpQuestion {
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
