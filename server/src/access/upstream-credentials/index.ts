import { createBrowserCookie } from '../../accounts/identity/index.ts'
import type { BoundOperation, Route } from '../../platform/http/index.ts'
import { flowLifetimeMs } from './consent/begin-consent.ts'
import {
	type ConsentNeeded,
	type OnBehalfOf,
	type UpstreamCredential,
	UpstreamTokens,
} from './tokens/upstream-tokens.ts'
import type { TokenServer, UpstreamCredentialDependencies } from './upstream-credential-context.ts'
import { upstreamOperations, upstreamRoutes } from './upstream-credential-routes.ts'

export { readChallenge } from './authorization-servers/read-json.ts'
export { ConsentNeeded, type OnBehalfOf, type UpstreamCredential } from './tokens/upstream-tokens.ts'

export interface UpstreamCredentials {
	operations: BoundOperation[]
	routes: Route[]
	/** Whether a server's credentials come from here. */
	isBrokered(serverId: string): boolean
	/** What goes along to a server for this agent and person; null for servers without OAuth. Rejects with `ConsentNeeded`. */
	credentialFor(server: TokenServer, whom: OnBehalfOf): Promise<UpstreamCredential | null>
	/** What somebody has to agree to before these can use a server; null where nothing is missing. Asks nobody. */
	consentNeeded(server: TokenServer, whom: OnBehalfOf): ConsentNeeded | null
	/** With whose token these reach a server; '' for servers without OAuth. */
	ownerOf(server: Pick<TokenServer, 'id'>, whom: OnBehalfOf): string
	/** After a 401: whether there is another credential now. */
	renewRefused(server: TokenServer, whom: OnBehalfOf, refused: UpstreamCredential): Promise<boolean>
	/** After a 403 for want of a scope: where a person agrees to more. */
	stepUp(server: TokenServer, whom: OnBehalfOf, scope: string | null): ConsentNeeded
	/** For checks of health and tools; null: nothing goes along. */
	credentialForChecks(server: TokenServer): Promise<Readonly<Record<string, string>> | null>
}

/** The broker of OAuth tokens for MCP servers: who gets them, keeps them sealed, renews them. */
export function openUpstreamCredentials(dependencies: UpstreamCredentialDependencies): UpstreamCredentials {
	const tokens = new UpstreamTokens(dependencies)
	dependencies.feed.add(tokens)
	const browserCookie = createBrowserCookie(dependencies.publicAddress, flowLifetimeMs, 'connect')
	const context = { ...dependencies, browserCookie, tokens }
	return {
		operations: upstreamOperations(context),
		routes: upstreamRoutes(context),
		isBrokered: (serverId) => tokens.auth(serverId) !== undefined,
		stepUp: (...of) => tokens.stepUp(...of),
		consentNeeded: (server, whom) => tokens.consentNeeded(server, whom),
		ownerOf: (server, whom) => tokens.ownerOf(server, whom),
		credentialFor: (server, whom) => tokens.credentialFor(server, whom),
		renewRefused: (server, whom, refused) => tokens.renewRefused(server, whom, refused),
		credentialForChecks: (server) => tokens.credentialForChecks(server),
	}
}
