import type { IncomingMessage } from 'node:http'
import type { Audit } from '../../accounts/audit/audit.ts'
import type { BrowserCookie, Identity } from '../../accounts/identity/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ServerView } from '../../servers/servers.ts'
import type { Agents, AgentView } from '../agents/agents.ts'
import type { MetadataDocuments } from './clients.ts'

export interface AuthorizationDependencies {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	identity: Pick<Identity, 'oauthTokens' | 'onAgentGroups'>
	agents: Pick<Agents, 'add' | 'regroup'> & { view: AgentView }
	servers: { view: ServerView }
	/** For the descriptions that clients publish of themselves. */
	safeFetch: Pick<SafeFetch, 'fetch'>
	sealer: Sealer
	clock: Clock
	log: Log
	/** As set, or null: the address by which a request came. */
	publicUrl: string | null
	/** The same, or without it the address of this node; known once it listens. */
	publicAddress(): string
}

/** What everything of this area works with. */
export interface AuthorizationContext extends AuthorizationDependencies {
	/** Binds what a client asks for to the browser that brought it. */
	browserCookie: BrowserCookie
	documents: MetadataDocuments
}

/** Our address as this request sees it, without a slash at its end: our issuer, and the root of our resources. */
export function issuerOf(
	{ publicUrl }: Pick<AuthorizationContext, 'publicUrl'>,
	request: IncomingMessage,
): string {
	return publicUrl?.replace(/\/$/, '') ?? `http://${request.headers.host}`
}
