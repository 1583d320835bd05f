import type { IncomingMessage } from 'node:http'
import type { Audit } from '../../accounts/audit/audit.ts'
import type { BrowserCookie, Identity } from '../../accounts/identity/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
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
	identity: Pick<Identity, 'oauthTokens' | 'onMembership' | 'memberOf'>
	agents: Pick<Agents, 'add' | 'changeGroups'> & { view: AgentView }
	servers: { view: ServerView }
	/** For fetching the metadata documents of clients. */
	safeFetch: Pick<SafeFetch, 'fetch'>
	sealer: Sealer
	clock: Clock
	log: Log
	/** The configured public URL, or null: then it is the address of the request. */
	publicUrl: string | null
	/** The public URL; if none is configured, the address of this node, which is known once it listens. */
	publicAddress(): string
}

/** What everything in this area needs. */
export interface AuthorizationContext extends AuthorizationDependencies {
	/** Binds a client's authorization request to the browser that opened it. */
	browserCookie: BrowserCookie
	documents: MetadataDocuments
}

/** Signalbox's address for this request, without a trailing slash: the issuer, and the root of the resources. */
export function issuerOf(
	{ publicUrl }: Pick<AuthorizationContext, 'publicUrl'>,
	request: IncomingMessage,
): string {
	return publicUrl?.replace(/\/$/, '') ?? `http://${request.headers.host}`
}
