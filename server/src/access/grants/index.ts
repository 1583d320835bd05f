import type { ProposedChange } from '@signalbox/contract'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import type { BoundOperation } from '../../platform/http/operations.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import { deriveGrants } from './derived/derive-grants.ts'
import type { GrantContext } from './grant-context.ts'
import type { GrantView } from './grant-entry.ts'
import { accessOf, grantRoutes, toolsetRoutes } from './grant-routes.ts'
import { createGrantView } from './grant-view.ts'
import type { AgentAccess } from './present-grant.ts'
import { requestRoutes } from './requests/request-routes.ts'
import {
	type HeldGrants,
	listHeld,
	type ProposedPair,
	proposeChanges,
	type Rewrite,
	rewriteGrant,
} from './review/review-grants.ts'

export {
	type AccessDecision,
	type AccessQuery,
	decideAccess,
	decideModelAccess,
	definitionOf,
	matchesModel,
} from './decide-access.ts'
export type { GrantEntry, GrantView } from './grant-entry.ts'
export type { GrantRow } from './grant-repository.ts'
export type { HeldGrants, ProposedPair } from './review/review-grants.ts'
export { uriPattern } from './uri-pattern.ts'

export interface AccessGrants {
	operations: BoundOperation[]
	view: GrantView
	/** The grants on a server, in the form of its `agent_access`. */
	accessOf(workspaceId: string, serverId: string): Promise<AgentAccess[]>
	/** The grants before and after proposed changes, which are not made. Throws as the API would if they were. */
	propose(workspaceId: string, changes: readonly ProposedChange[]): Promise<ProposedPair[]>
	/** The grants that an access review examines. */
	held(workspaceId: string): Promise<HeldGrants>
	/**
	 * Changes a direct grant from one exact state to another; null stands for no grant. Throws `grant_changed` if its state
	 * differs from `from`.
	 */
	rewrite(tx: DatabaseTransaction, request: RequestContext, change: Rewrite): Promise<void>
	/**
	 * Brings the grants that agents have through toolsets in line with their groups, in a transaction that began with
	 * `lockGroups`. The caller appends the agents to the change feed.
	 */
	deriveGrants(tx: DatabaseTransaction, workspaceId: string, agentIds: readonly string[]): Promise<void>
}

export function openAccessGrants({ feed, ...grants }: GrantContext & { feed: ChangeFeed }): AccessGrants {
	const view = createGrantView(grants.store.db)
	feed.add(view)
	return {
		operations: [...grantRoutes(grants), ...toolsetRoutes(grants, view), ...requestRoutes(grants)],
		view,
		accessOf: (workspaceId, serverId) => accessOf(grants, workspaceId, serverId),
		propose: (workspaceId, changes) => proposeChanges(grants, view, workspaceId, changes),
		held: (workspaceId) => listHeld(grants.store.db, workspaceId),
		rewrite: (tx, request, change) => rewriteGrant(tx, grants, request, change),
		deriveGrants: async (tx, workspaceId, agentIds) =>
			void (await deriveGrants(tx, workspaceId, { agentIds }, grants.clock)),
	}
}
