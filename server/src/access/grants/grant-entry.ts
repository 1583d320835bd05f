import type { AccessMode, Approver, DeniableHint } from '@signalbox/contract'
import type { CallLimits } from '../../platform/limits/call-limit.ts'
import type { Constraint } from './constraints/constraint.ts'
import type { UriPattern } from './uri-pattern.ts'

/** What one agent may do on one server by one grant, as the data plane knows it. */
export interface GrantEntry {
	id: string
	workspaceId: string
	serverId: string
	agentId: string
	/** `manual`, or the id of the toolset that the grant is derived from. */
	source: string
	accessMode: AccessMode
	/** Null with access mode `all`. */
	allowedTools: ReadonlySet<string> | null
	/** The server's own names; null: all with access mode `all`, else none. */
	allowedPrompts: ReadonlySet<string> | null
	/** Null: all with access mode `all`, else none. */
	allowedResources: readonly UriPattern[] | null
	enabled: boolean
	/** Milliseconds since 1970, or null: for ever. */
	expiresAtMs: number | null
	/** What the arguments of a tool must satisfy; null when there is nothing. */
	constraints: ReadonlyMap<string, Constraint> | null
	/** Tools of which each call needs the approval of a person. */
	asks: ReadonlySet<string> | null
	approver: Approver
	/** How long a call waits for approval; null: the usual time. */
	approvalWaitMs: number | null
	/** By which annotations tools are denied; null when by none. */
	deniedHints: ReadonlySet<DeniableHint> | null
	/** By tool, and `*` for all tools together; null when there are none. */
	callLimits: CallLimits | null
}

export const manualSource = 'manual'

/** All grants, in memory. */
export interface GrantView {
	/** Every grant of an agent on a server: the one made by hand and the derived ones, disabled and expired ones too. */
	of(agentId: string, serverId: string): readonly GrantEntry[]
	/** The servers that an agent has any grant on. */
	serversOf(agentId: string): readonly string[]
	/** The grants derived from a toolset. */
	ofToolset(toolsetId: string): readonly GrantEntry[]
	/** Whether any grant expired after `sinceMs` and until `nowMs`. */
	anyExpired(sinceMs: number, nowMs: number): boolean
}
