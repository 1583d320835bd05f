import type { ProposedChange } from '@signalbox/contract'
import type { ChangeFeed } from '../platform/changes.ts'
import type { DatabaseTransaction } from '../platform/database/index.ts'
import type { BoundOperation } from '../platform/http/index.ts'
import type { GrantContext } from './context.ts'
import { deriveGrants } from './derived/derive-grants.ts'
import type { GrantView } from './grant-entry.ts'
import { createGrantView } from './grant-view.ts'
import type { AgentAccess } from './present-grant.ts'
import { type ProposedPair, proposeChanges } from './proposals/propose-changes.ts'
import { accessOf, grantRoutes } from './routes.ts'
import { toolsetRoutes } from './toolsets/routes.ts'

export interface AccessGrants {
	operations: BoundOperation[]
	view: GrantView
	/** The grants on a server, as its `agent_access` shows them. */
	accessOf(workspaceId: string, serverId: string): Promise<AgentAccess[]>
	/** The grants before and after changes that are not made. Throws as the API does when they are. */
	propose(workspaceId: string, changes: readonly ProposedChange[]): Promise<ProposedPair[]>
	/** Brings the grants that agents have by toolsets in line with their groups, in a transaction that began with `lockGroups`; the caller notes that the agents changed. */
	deriveGrants(tx: DatabaseTransaction, workspaceId: string, agentIds: readonly string[]): Promise<void>
}

export function openAccessGrants({ feed, ...grants }: GrantContext & { feed: ChangeFeed }): AccessGrants {
	const view = createGrantView(grants.store.db)
	feed.add(view)
	return {
		operations: [...grantRoutes(grants), ...toolsetRoutes(grants, view)],
		view,
		accessOf: (workspaceId, serverId) => accessOf(grants, workspaceId, serverId),
		propose: (workspaceId, changes) => proposeChanges(grants, view, workspaceId, changes),
		deriveGrants: async (tx, workspaceId, agentIds) =>
			void (await deriveGrants(tx, workspaceId, { agentIds }, grants.clock)),
	}
}
