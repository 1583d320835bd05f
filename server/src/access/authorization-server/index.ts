import type { IncomingMessage } from 'node:http'
import { createBrowserCookie } from '../../accounts/identity/index.ts'
import type { BoundOperation, RefusalWriter, Route } from '../../platform/http/index.ts'
import { type AuthorizationDependencies, issuerOf } from './authorization-context.ts'
import { authorizationRoutes, protocolRoutes } from './authorization-routes.ts'
import { requestLifetimeMs } from './authorize.ts'
import { createMetadataDocuments } from './clients.ts'
import { followAgentGroups } from './consent.ts'
import { oauthScopes } from './metadata.ts'

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

/**
 * Lets a 401 on `/mcp` say where a client finds out how to get a token (RFC 9728 §5.1). `/mcp-key` says nothing, for
 * clients that would ignore their key then.
 */
export function withChallenge(publicUrl: string | null, refuse: RefusalWriter): RefusalWriter {
	return (request, response, problem, requestId) => {
		const path = problem.status === 401 ? mcpPathOf(request) : null
		if (path !== null) {
			const present = String(response.getHeader('www-authenticate') ?? 'Bearer realm="signalbox"')
			const metadata = `${issuerOf({ publicUrl }, request)}/.well-known/oauth-protected-resource${path}`
			const scope = oauthScopes.join(' ')
			response.setHeader('www-authenticate', `${present}, resource_metadata="${metadata}", scope="${scope}"`)
		}
		refuse(request, response, problem, requestId)
	}
}

/**
 * `/mcp` or `/mcp/{server}`; null for anything else, for names that do not belong into a header, and for the platform's
 * own server, which takes no token that a client could get there.
 */
function mcpPathOf(request: IncomingMessage): string | null {
	const [, path = null] = request.url?.match(/^(\/mcp(?:\/[\w-]{1,64})?)\/?(?:\?|$)/) ?? []
	return path === '/mcp/platform' ? null : path
}
