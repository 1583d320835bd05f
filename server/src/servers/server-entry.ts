import type { HealthStatus, ServerStatus, TransportType } from '@signalbox/contract'

/** A tool's definition as its server sent it, with every field it had. */
export interface ToolDefinition {
	name: string
	[field: string]: unknown
}

/** An MCP server as the data plane knows it. */
export interface ServerEntry {
	id: string
	workspaceId: string
	name: string
	slug: string
	url: string
	transportType: TransportType
	status: ServerStatus
	healthStatus: HealthStatus
	/** The newest protocol revision that the server spoke when last checked, or null when it was never reached. */
	protocolVersion: string | null
	/** Opened secrets: for the upstream request only, never for logs or answers. */
	headers: ReadonlyMap<string, string>
	/** Whether the arguments of its calls are recorded: off unless asked for, since they may hold secrets. */
	capturesArguments: boolean
	/** The tools it offered when last asked, in its order. */
	tools: readonly ToolDefinition[]
}

/** All MCP servers, in memory. */
export interface ServerView {
	get(serverId: string): ServerEntry | undefined
	/** By id or slug, inside one workspace. */
	find(workspaceId: string, idOrSlug: string): ServerEntry | undefined
	list(workspaceId: string): readonly ServerEntry[]
}
