import type { AgentStatus, ToolListing } from '@signalbox/contract'
import type { CallLimit } from '../../platform/limits/call-limit.ts'
import type { ModelAccess } from './model-access.ts'

/** An agent as the data plane knows it. */
export interface AgentEntry {
	id: string
	workspaceId: string
	name: string
	status: AgentStatus
	modelAccess: ModelAccess
	/** Of all its calls together; null: none. */
	callLimit: CallLimit | null
	toolListing: ToolListing
}

/** All agents, in memory. */
export interface AgentView {
	get(agentId: string): AgentEntry | undefined
}
