import type { AgentStatus } from '@signalbox/contract'

/** An agent as the data plane knows it. */
export interface AgentEntry {
	id: string
	workspaceId: string
	name: string
	status: AgentStatus
}

/** All agents, in memory. */
export interface AgentView {
	get(agentId: string): AgentEntry | undefined
}
