import type { AccessMode, Approver, DeniableHint } from '@signalbox/contract'
import type { CallLimits } from '../../platform/limits/call-limit.ts'
import type { Constraint } from './constraints/constraint.ts'
import type { UriPattern } from './uri-pattern.ts'

/** What one grant allows one agent on one server, in the form used by the data plane. */
export interface GrantEntry {
	id: string
	workspaceId: string
	serverId: string
	agentId: string
	/** `manual`, or the id of the toolset from which the grant is derived. */
	source: string
	accessMode: AccessMode
	/** Null for access mode `all`. */
	allowedTools: ReadonlySet<string> | null
	/** The server's own names. Null means all with access mode `all`, otherwise none. */
	allowedPrompts: ReadonlySet<string> | null
	/** Null means all with access mode `all`, otherwise none. */
	allowedResources: readonly UriPattern[] | null
	enabled: boolean
	/** Milliseconds since 1970, or null: no expiry. */
	expiresAtMs: number | null
	/** Conditions on the arguments by tool; null if there are none. */
	constraints: ReadonlyMap<string, Constraint> | null
	/** Tools whose calls each need a person's approval. */
	asks: ReadonlySet<string> | null
	approver: Approver
	/** How long a call waits for approval; null for the default. */
	approvalWaitMs: number | null
	/** Hints by which tools are denied; null if there are none. */
	deniedHints: ReadonlySet<DeniableHint> | null
	/** By tool, with `*` for all tools together; null if there are none. */
	callLimits: CallLimits | null
}

export const manualSource = 'manual'

/** All grants, in memory. */
export interface GrantView {
	/** Every grant of an agent on a server: the direct and the derived ones, including disabled and expired ones. */
	of(agentId: string, serverId: string): readonly GrantEntry[]
	/** The servers on which an agent has any grant. */
	serversOf(agentId: string): readonly string[]
	/** The grants derived from a toolset. */
	ofToolset(toolsetId: string): readonly GrantEntry[]
	/** Whether any grant expired after `sinceMs` and until `nowMs`. */
	anyExpired(sinceMs: number, nowMs: number): boolean
}
