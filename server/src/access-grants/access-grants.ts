import type { ChangeFeed } from '../platform/changes.ts'
import type { BoundOperation } from '../platform/http/index.ts'
import type { GrantContext } from './context.ts'
import type { GrantView } from './grant-entry.ts'
import { createGrantView } from './grant-view.ts'
import type { AgentAccess } from './present-grant.ts'
import { accessOf, grantRoutes } from './routes.ts'

export interface AccessGrants {
	operations: BoundOperation[]
	view: GrantView
	/** The grants on a server, as its `agent_access` shows them. */
	accessOf(workspaceId: string, serverId: string): Promise<AgentAccess[]>
}

export function openAccessGrants({ feed, ...grants }: GrantContext & { feed: ChangeFeed }): AccessGrants {
	const view = createGrantView(grants.store.db)
	feed.add(view)
	return {
		operations: grantRoutes(grants),
		view,
		accessOf: (workspaceId, serverId) => accessOf(grants, workspaceId, serverId),
	}
}
