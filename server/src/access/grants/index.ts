import type { ProposedChange } from '@signalbox/contract'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import type { BoundOperation, RequestContext } from '../../platform/http/index.ts'
import { deriveGrants } from './derived/derive-grants.ts'
import type { GrantContext } from './grant-context.ts'
import type { GrantView } from './grant-entry.ts'
import { accessOf, grantRoutes, toolsetRoutes } from './grant-routes.ts'
import { createGrantView } from './grant-view.ts'
import type { AgentAccess } from './present-grant.ts'
import { type ProposedPair, proposeChanges } from './proposals/propose-changes.ts'
import { requestRoutes } from './requests/request-routes.ts'
import { type HeldGrants, listHeld, type Rewrite, rewriteGrant } from './review/rewrite-grant.ts'

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
export type { ProposedPair } from './proposals/propose-changes.ts'
export type { HeldGrants } from './review/rewrite-grant.ts'
export { uriPattern } from './uri-pattern.ts'

export interface AccessGrants {
	operations: BoundOperation[]
	view: GrantView
	/** The grants on a server, as its `agent_access` shows them. */
	accessOf(workspaceId: string, serverId: string): Promise<AgentAccess[]>
	/** The grants before and after changes that are not made. Throws as the API does when they are. */
	propose(workspaceId: string, changes: readonly ProposedChange[]): Promise<ProposedPair[]>
	/** What reviews of the access of a workspace look at. */
	held(workspaceId: string): Promise<HeldGrants>
	/** Brings a grant made by hand from one state to another, exactly; null stands for none. Throws `grant_changed` when it is not as `from` says. */
	rewrite(tx: DatabaseTransaction, request: RequestContext, change: Rewrite): Promise<void>
	/** Brings the grants that agents have by toolsets in line with their groups, in a transaction that began with `lockGroups`; the caller notes that the agents changed. */
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
