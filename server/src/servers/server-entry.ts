import type { HealthStatus, ServerStatus, TransportType } from '@signalbox/contract'
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
	/** What its tools and prompts begin with on the aggregate: the slug, or a name of the workspace's choice. */
	toolPrefix: string
	/** Tool → the whole name that it has on the aggregate. */
	toolAliases: ReadonlyMap<string, string>
	/** Of a program an address inside this process. */
	url: string
	/** What to run, for a stdio server; opened secrets too. */
	program: ProgramSpec | null
	transportType: TransportType
	status: ServerStatus
	healthStatus: HealthStatus
	/** The newest protocol revision that the server spoke when last checked, or null when it was never reached. */
	protocolVersion: string | null
	/** What was wrong with it when last checked, for people; null when nothing was. */
	trouble: string | null
	/** Whether all of its tools were seen once; else nobody can tell which it has. */
	areToolsKnown: boolean
	/** What it said of itself when last checked, or null. */
	introduction: Introduction | null
	/** Opened secrets: for the upstream request only, never for logs or answers. */
	headers: ReadonlyMap<string, string>
	/** Whose token is among the headers, where the platform got one by OAuth for this call. */
	credentialOwner?: string
	/** Whether the arguments of its calls are recorded; null: as its workspace chose. */
	capturesArguments: boolean | null
	/** The same of what its tools answer. */
	capturesResults: boolean | null
	/** Whether it is spoken to in revisions with a handshake only, whatever it knows: see `protocol_era` in its configuration. */
	speaksLegacy: boolean
	/** Of the calls of all agents together, by tool, and `*` for all tools together; null when there are none. */
	callLimits: CallLimits | null
	/** The largest content of a result that goes to an agent in one piece; null: no limit. */
	maxResultBytes: number | null
	/** The tools it offered when last asked, in its order, as agents are shown them. */
	tools: readonly ToolDefinition[]
	/** Those of them that wait for the approval of their definition: nobody may be shown or call them. */
	suspended: ReadonlySet<string>
}

/** All MCP servers, in memory. */
export interface ServerView {
	get(serverId: string): ServerEntry | undefined
	/** By id or slug, inside one workspace. */
	find(workspaceId: string, idOrSlug: string): ServerEntry | undefined
	/** By what the names of its tools begin with: its prefix or its slug. */
	withPrefix(workspaceId: string, prefix: string): ServerEntry | undefined
	/** By the alias of one of its tools. */
	withAlias(workspaceId: string, alias: string): ServerEntry | undefined
	list(workspaceId: string): readonly ServerEntry[]
}
