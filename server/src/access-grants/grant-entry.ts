import type { AccessMode } from '@signalbox/contract'

/** What one agent may do on one server, as the data plane knows it. */
export interface GrantEntry {
	id: string
	workspaceId: string
	serverId: string
	agentId: string
	accessMode: AccessMode
	/** Null with access mode `all`. */
	allowedTools: ReadonlySet<string> | null
	enabled: boolean
}

/** All grants, in memory. */
export interface GrantView {
	get(agentId: string, serverId: string): GrantEntry | undefined
	ofAgent(agentId: string): readonly GrantEntry[]
}
