import type { IncomingMessage, ServerResponse } from 'node:http'
import { type OutputOf, roleHas, type UpstreamOwner, upstreamCredentialOperations } from '@signalbox/contract'
import { type Actor, recordChange } from '../../accounts/audit/audit.ts'
import { createBrowserCookie } from '../../accounts/identity/identity.ts'
import { appendChange } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { basePathOf } from '../../platform/http/paths.ts'
import type { UserPrincipal } from '../../platform/http/principal.ts'
import { sendJson } from '../../platform/http/refusals.ts'
import { principalIn, type RequestContext, type Route, userIn } from '../../platform/http/route.ts'
import { findMetadata } from './authorization-servers/find-resource.ts'
import {
	callbackPath,
	configure,
	describeClient,
	documentPath,
	loadClient,
} from './authorization-servers/oauth-client.ts'
import { beginConsent, finishConsent, flowLifetimeMs } from './consent/begin-consent.ts'
import { openTokens } from './tokens/stored-tokens.ts'
import {
	type ConsentNeeded,
	type OnBehalfOf,
	type UpstreamContext,
	type UpstreamCredential,
	UpstreamTokens,
} from './tokens/upstream-tokens.ts'
import { setAuth, showAuth } from './upstream-auth.ts'
import {
	addressOf,
	changeOf,
	serverIn,
	type TokenServer,
	type UpstreamCredentialDependencies,
} from './upstream-credential-context.ts'
import {
	deleteTokens,
	deleteTokensOfOwner,
	listTokens,
	type TokenRow,
} from './upstream-credential-repository.ts'

export { readChallenge } from './authorization-servers/read-json.ts'
export { ConsentNeeded, NoToken, type OnBehalfOf, type UpstreamCredential } from './tokens/upstream-tokens.ts'

export interface UpstreamCredentials {
	operations: BoundOperation[]
	routes: Route[]
	/** Whether a server's credentials come from this broker. */
	isBrokered(serverId: string): boolean
	/** The credential for this agent and person at a server; null for servers without OAuth. Rejects with `ConsentNeeded` or `NoToken`. */
	credentialFor(server: TokenServer, owner: OnBehalfOf): Promise<UpstreamCredential | null>
	/** The consent that these need before they can use a server; null if none is missing. Sends no request. */
	consentNeeded(server: TokenServer, owner: OnBehalfOf): ConsentNeeded | null
	/** The owner whose token would be used for these; '' for servers without OAuth. */
	ownerOf(server: Pick<TokenServer, 'id'>, owner: OnBehalfOf): string
	/** Called after a 401. Resolves with whether there is a new credential. */
	renewRefused(server: TokenServer, owner: OnBehalfOf, refused: UpstreamCredential): Promise<boolean>
	/** Called after a 403 for lack of a scope: the failure that says where a person consents to it. */
	stepUp(server: TokenServer, owner: OnBehalfOf, scope: string | null): ConsentNeeded
	/** For checks of health and tools. Null if no credential is needed. */
	credentialForChecks(server: TokenServer): Promise<Readonly<Record<string, string>> | null>
}

/** The broker of OAuth tokens for MCP servers: obtains them, stores them sealed, and renews them. */
export function openUpstreamCredentials(dependencies: UpstreamCredentialDependencies): UpstreamCredentials {
	const tokens = new UpstreamTokens(dependencies)
	dependencies.feed.add(tokens)
	const browserCookie = createBrowserCookie(dependencies.publicAddress, flowLifetimeMs, 'connect')
	const context = { ...dependencies, browserCookie, tokens }
	context.identity.onMembership(async (tx, { role, userId, ...of }) => {
		if (role === null) await forgetOwner(context, tx, { ...of, owner: 'user', ownerId: userId })
	})
	context.agents.onRemove((tx, { agentId, ...of }) =>
		forgetOwner(context, tx, { ...of, owner: 'agent', ownerId: agentId }),
	)
	return {
		operations: upstreamOperations(context),
		routes: upstreamRoutes(context),
		isBrokered: (serverId) => tokens.auth(serverId) !== undefined,
		stepUp: (...of) => tokens.stepUp(...of),
		consentNeeded: (server, owner) => tokens.consentNeeded(server, owner),
		ownerOf: (server, owner) => tokens.ownerOf(server, owner),
		credentialFor: (server, owner) => tokens.credentialFor(server, owner),
		renewRefused: (server, owner, refused) => tokens.renewRefused(server, owner, refused),
		credentialForChecks: (server) => tokens.credentialForChecks(server),
	}
}

function upstreamOperations(upstream: UpstreamContext): BoundOperation[] {
	return bind(upstreamCredentialOperations, {
		get: ({ params, request, context }) =>
			showAuth(upstream, principalIn(context).workspaceId, params.id, addressOf(upstream, request)),
		replace: ({ params, body, request, context }) =>
			setAuth(upstream, context, params.id, body, addressOf(upstream, request)),
		authorize: async ({ params, body, request, context, setHeader }) => {
			const wanted = { agentId: body?.agent_uuid, scope: body?.scope }
			const { url, cookie } = await beginConsent(upstream, request, userIn(context), params.id, wanted)
			setHeader('set-cookie', cookie)
			return { url }
		},
		connections: ({ params, context }) => listConnections(upstream, userIn(context), params.id),
		disconnect: async ({ params, context }) => {
			await disconnect(upstream, context, params.id, params.connectionId)
			return undefined
		},
	})
}

/** The redirect URI for authorization servers, and the client metadata that they read. */
function upstreamRoutes(upstream: UpstreamContext): Route[] {
	const open = { access: { public: true }, family: 'page', method: 'GET' } as const
	return [
		{
			...open,
			id: 'oauth.upstream-callback',
			path: callbackPath,
			handle: (...request) => answerCallback(upstream, ...request),
		},
		{
			...open,
			id: 'oauth.client-metadata',
			path: documentPath,
			handle: (request, response) => {
				const address = addressOf(upstream, request)
				sendJson(response, 200, { client_id: `${address}${documentPath}`, ...describeClient(address) })
			},
		},
	]
}

/** Redirects to the dashboard, which shows the outcome. */
async function answerCallback(
	upstream: UpstreamContext,
	request: IncomingMessage,
	response: ServerResponse,
	{ search, requestId }: RequestContext,
): Promise<void> {
	const base = basePathOf(upstream.publicUrl)
	const location = await finishConsent(upstream, request, search, requestId).then(
		(serverId) => {
			refreshLater(upstream, serverId)
			return `${base}/ui/connect/${serverId}?connected=true`
		},
		(error: unknown) => {
			upstream.log.warn({ err: error, request_id: requestId }, 'upstream credentials: a consent failed')
			if (!(error instanceof Problem)) throw error
			return `${base}/ui/connect/failed?error=${error.code}`
		},
	)
	response
		.writeHead(302, {
			location,
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
			'content-length': 0,
		})
		.end()
}

/** Refreshes the server's tools, which can be listed now, in the background. */
function refreshLater({ servers, log }: UpstreamContext, serverId: string): void {
	servers
		.refresh(serverId)
		.catch((error: unknown) =>
			log.warn({ err: error, server_id: serverId }, 'upstream credentials: no check'),
		)
}

type List = OutputOf<(typeof upstreamCredentialOperations)['connections']>

async function listConnections(
	context: UpstreamContext,
	person: UserPrincipal,
	serverId: string,
): Promise<List> {
	serverIn(context, person.workspaceId, serverId)
	const rows = await listTokens(context.store.db, person.workspaceId, serverId, seenBy(person))
	return { connections: rows.map(present) }
}

/** Deletes tokens first and then revokes them: the answer of the authorization server makes no difference here. */
async function disconnect(
	context: UpstreamContext,
	request: RequestContext,
	serverId: string,
	id: string,
): Promise<void> {
	const person = userIn(request)
	const server = serverIn(context, person.workspaceId, serverId)
	const row = await context.mutate(async (tx) => {
		const rows = await listTokens(tx, person.workspaceId, serverId, seenBy(person))
		const found = rows.find((candidate) => candidate.id === id)
		if (!found) throw notFound('connection')
		await deleteTokens(tx, person.workspaceId, id)
		const { owner, owner_id, issuer } = found
		await recordChange(tx, context, request, changeOf('disconnect', server, { owner, owner_id, issuer }))
		await appendChange(tx, 'upstream_token', id, context.clock)
		return found
	})
	await revoke(context, row).catch((error: unknown) =>
		context.log.warn({ err: error, server_id: serverId }, 'upstream credentials: tokens were not revoked'),
	)
}

interface FormerOwner {
	workspaceId: string
	owner: 'user' | 'agent'
	ownerId: string
	by: Actor
	requestId: string
}

/** Tokens end with the membership of their person or with their agent: otherwise checks of the server would go on using them. */
async function forgetOwner(
	context: UpstreamContext,
	tx: DatabaseTransaction,
	{ workspaceId, owner, ownerId, by, requestId }: FormerOwner,
): Promise<void> {
	for (const { id, server_id, issuer } of await deleteTokensOfOwner(tx, workspaceId, owner, ownerId)) {
		const server = context.servers.view.get(server_id) ?? { id: server_id, name: '' }
		const change = changeOf('disconnect', server, { owner, owner_id: ownerId, issuer })
		await context.audit.record(tx, { workspaceId, actor: by, requestId, ...change })
		await appendChange(tx, 'upstream_token', id, context.clock)
	}
}

async function revoke({ safeFetch, sealer }: UpstreamContext, row: TokenRow): Promise<void> {
	const { client, refreshToken, accessToken } = openTokens(sealer, row)
	const metadata = await findMetadata(safeFetch, row.issuer)
	if (metadata.revocation_endpoint === undefined) return
	const configuration = await configure(safeFetch, metadata, client)
	await (await loadClient()).tokenRevocation(configuration, refreshToken ?? accessToken)
}

/** Null for admins, who see everyone's tokens; others see their own. */
function seenBy({ role, userId }: UserPrincipal): string | null {
	return roleHas(role, 'servers:write') ? null : userId
}

function present(row: TokenRow): List['connections'][number] {
	return {
		id: row.id,
		owner: row.owner as UpstreamOwner,
		owner_id: row.owner_id || null,
		issuer: row.issuer,
		scope: row.scope,
		status: row.status as 'active' | 'needs_consent',
		expires_at: row.expires_at === null ? null : toIso(row.expires_at),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
