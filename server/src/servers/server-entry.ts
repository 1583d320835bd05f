import type { HealthStatus, PinReason, ServerStatus, TransportType } from '@signalbox/contract'
import type { CallLimits } from '../platform/limits/call-limit.ts'
import type { Introduction } from './discovery/introduction.ts'
import type { ProgramSpec } from './programs/index.ts'
import type { ToolDefinition } from './tool-definitions/tool-definitions.ts'

export type { ToolDefinition } from './tool-definitions/tool-definitions.ts'

/** An MCP server as the data plane knows it. */
export interface ServerEntry {
	id: string
	workspaceId: string
	name: string
	slug: string
	/** Prefix of its tools and prompts on the aggregate endpoint: the slug, or a name that the workspace chose. */
	toolPrefix: string
	/** Tool → its full name on the aggregate endpoint. */
	toolAliases: ReadonlyMap<string, string>
	/** For a program, a URL that is valid only inside this process. */
	url: string
	/** What to run for a stdio server, including opened secrets. */
	program: ProgramSpec | null
	transportType: TransportType
	status: ServerStatus
	healthStatus: HealthStatus
	/** The newest protocol revision that the server spoke at the last check, or null if it was never reached. */
	protocolVersion: string | null
	/** The problem at the last check, for people; null if there was none. */
	trouble: string | null
	/** Whether all of its tools have ever been seen; otherwise it is unknown which it has. */
	areToolsKnown: boolean
	/** Its own description of itself at the last check, or null. */
	introduction: Introduction | null
	/** Opened secrets: only for the upstream request, never for logs or responses. */
	headers: ReadonlyMap<string, string>
	/** The owner of the token among the headers, if the platform obtained one by OAuth for this call. */
	credentialOwner?: string
	/** Whether the arguments of its calls are recorded; null: the workspace's setting. */
	capturesArguments: boolean | null
	/** The same for the results of its tools. */
	capturesResults: boolean | null
	/** Whether to use only revisions with a handshake, whatever the server knows: see `protocol_era` in its configuration. */
	speaksLegacy: boolean
	/** Limits for the calls of all agents together, by tool, with `*` for all tools together; null if there are none. */
	callLimits: CallLimits | null
	/** The largest result content that is sent to an agent in one piece; null: no limit. */
	maxResultBytes: number | null
	/** The tools from the last check, in the server's order, as agents see them. */
	tools: readonly ToolDefinition[]
	/** Tools that are neither shown nor callable until somebody approves their definition, and why. */
	suspended: ReadonlyMap<string, PinReason>
}

/** All MCP servers, in memory. */
export interface ServerView {
	get(serverId: string): ServerEntry | undefined
	/** By id or slug, within one workspace. */
	find(workspaceId: string, idOrSlug: string): ServerEntry | undefined
	/** By the prefix of its tool names, or by its slug. */
	withPrefix(workspaceId: string, prefix: string): ServerEntry | undefined
	/** By the alias of one of its tools. */
	withAlias(workspaceId: string, alias: string): ServerEntry | undefined
	list(workspaceId: string): readonly ServerEntry[]
}
