import { createBrowserCookie } from '../../accounts/identity/index.ts'
import type { BoundOperation, Route } from '../../platform/http/index.ts'
import type { AuthorizationDependencies } from './authorization-context.ts'
import { requestLifetimeMs } from './authorization-request.ts'
import { authorizationRoutes, protocolRoutes } from './authorization-routes.ts'
import { createMetadataDocuments } from './clients.ts'
import { followAgentGroups } from './consent.ts'

/** Our own OAuth authorization server, by which people connect their clients to `/mcp`. */
export function openAuthorizationServer(dependencies: AuthorizationDependencies): {
	operations: BoundOperation[]
	routes: Route[]
} {
	const context = {
		...dependencies,
		browserCookie: createBrowserCookie(dependencies.publicAddress, requestLifetimeMs, 'authorize'),
		documents: createMetadataDocuments(dependencies.safeFetch, dependencies.clock),
	}
	context.identity.onAgentGroups((tx, change) => followAgentGroups(context, tx, change))
	return { operations: authorizationRoutes(context), routes: protocolRoutes(context) }
}
