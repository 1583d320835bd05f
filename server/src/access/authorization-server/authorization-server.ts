import type { IncomingMessage, ServerResponse } from 'node:http'
import { authorizationOperations, type OutputOf, type QueryOf, roleHas } from '@signalbox/contract'
import { actorOf, systemActor } from '../../accounts/audit/audit.ts'
import { createBrowserCookie } from '../../accounts/identity/identity.ts'
import { toIso } from '../../platform/clock.ts'
import { hashToken } from '../../platform/crypto/token.ts'
import { notFound } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import type { UserPrincipal } from '../../platform/http/principal.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { sendJson } from '../../platform/http/refusals.ts'
import { type RefusalWriter, type RequestContext, type Route, userIn } from '../../platform/http/route.ts'
import { parseStrictJson } from '../../platform/json/json-scan.ts'
import { paginate } from '../../platform/paging.ts'
import {
	type AuthorizationContext,
	type AuthorizationDependencies,
	issuerOf,
} from './authorization-context.ts'
import {
	findGrant,
	findGrantByToken,
	type GrantRow,
	listGrants,
	type NamedGrant,
	rotateRefreshToken,
} from './authorization-repository.ts'
import { createMetadataDocuments, registerClient } from './clients.ts'
import {
	authorize,
	exchangeCode,
	grantIdOf,
	hasPerson,
	invalidGrant,
	openIngress,
	openRequest,
	requestLifetimeMs,
	requireResource,
	revokeGrant,
	revokeReused,
	successorOf,
	type TokenAnswer,
	toTokenAnswer,
} from './code-flow.ts'
import { decide, describeRequest, followMembership } from './consent.ts'
import { oauthScopes, platformServer, resourceMetadata, serverMetadata } from './metadata.ts'
import { answerOauth, OauthError, readForm, requireField } from './oauth-error.ts'

/** Signalbox's OAuth authorization server, through which people connect their clients to `/mcp`. */
export function openAuthorizationServer(dependencies: AuthorizationDependencies): {
	operations: BoundOperation[]
	routes: Route[]
} {
	const context = {
		...dependencies,
		browserCookie: createBrowserCookie(dependencies.publicAddress, requestLifetimeMs, 'authorize'),
		documents: createMetadataDocuments(dependencies.safeFetch, dependencies.clock),
	}
	context.identity.onMembership((tx, change) => followMembership(context, tx, change))
	return { operations: authorizationRoutes(context), routes: protocolRoutes(context) }
}

/**
 * Adds to a 401 on `/mcp` where a client finds out how to get a token (RFC 9728 §5.1). Not on `/mcp-key`, because some clients
 * would then ignore their key.
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
 * `/mcp` or `/mcp/{server}`. Null for anything else, for names that are not safe in a header, and for the platform's own server,
 * which accepts no token from this authorization server.
 */
function mcpPathOf(request: IncomingMessage): string | null {
	const [, path = null] = request.url?.match(/^(\/mcp(?:\/[\w-]{1,64})?)\/?(?:\?|$)/) ?? []
	return path === `/mcp/${platformServer}` ? null : path
}

type Fields = Readonly<Record<string, string>>

/** How long the previous refresh token still gets the same answer, for a client that lost it. */
const graceMs = 10_000

/** Exchanges a refresh token for its successor. A token that was exchanged before revokes the grant, whoever sends it. */
async function refreshTokens(
	context: AuthorizationContext,
	fields: Fields,
	requestId: string,
): Promise<TokenAnswer> {
	const token = requireField(fields, 'refresh_token')
	const grant = await liveGrant(context, grantIdOf(token))
	if (requireField(fields, 'client_id') !== grant.client_id) throw invalidGrant()
	requireResource(grant, fields)
	requireScope(grant, fields)
	const hash = hashToken(token)
	const successor = successorOf(context.sealer, token, grant.id)
	const nowMs = context.clock.nowMs()
	const rotated = await context.mutate(async (tx) => {
		const isPresent = await rotateRefreshToken(tx, grant, hash, hashToken(successor), nowMs)
		if (isPresent) await openIngress(context, tx, grant, successor)
		return isPresent
	})
	if (rotated) return toTokenAnswer(context, grant, successor, nowMs)
	const now = await liveGrant(context, grant.id)
	const refreshedAtMs = now.refreshed_at ?? 0
	// Beyond the grace period in either direction: the clock may have been set back since the exchange.
	if (now.previous_refresh_hash === hash && Math.abs(nowMs - refreshedAtMs) <= graceMs)
		return toTokenAnswer(context, grant, successor, refreshedAtMs)
	await revokeReused(context, now, 'refresh token', requestId)
	throw invalidGrant()
}

async function liveGrant(context: AuthorizationContext, id: string | null): Promise<GrantRow> {
	const grant = id === null ? undefined : await findGrantByToken(context.store.db, id)
	if (!grant || !hasPerson(context, grant) || grant.expires_at <= context.clock.nowMs()) throw invalidGrant()
	return grant
}

function requireScope(grant: GrantRow, { scope }: Fields): void {
	const agreed = grant.scope.split(' ')
	if (scope?.split(' ').some((wanted) => wanted !== '' && !agreed.includes(wanted)))
		throw new OauthError('invalid_scope', 'The person agreed to fewer scopes.')
}

const limitBytes = 16 * 1024

/** RFC 7591, open to everyone: a person decides each time what a client may do. */
function registrationEndpoint(
	{ sealer, clock }: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	return answerOauth(response, async () => {
		const client = registerClient(sealer, readMetadata(await readBody(request, limitBytes)))
		sendJson(response, 201, {
			client_id: client.id,
			client_id_issued_at: Math.floor(clock.nowMs() / 1000),
			client_name: client.name,
			...(client.uri !== null && { client_uri: client.uri }),
			redirect_uris: client.redirectUris,
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
			scope: oauthScopes.join(' '),
		})
	})
}

function readMetadata(body: Buffer): Record<string, unknown> {
	try {
		const value = parseStrictJson(body)
		if (typeof value === 'object' && value !== null && !Array.isArray(value))
			return value as Record<string, unknown>
	} catch {}
	throw new OauthError('invalid_client_metadata', 'Send a JSON object.')
}

/** The operations of the consent page and of the list of connected clients. */
function authorizationRoutes(authorization: AuthorizationContext): BoundOperation[] {
	return bind(authorizationOperations, {
		consent: ({ body, request, context }) =>
			describeRequest(authorization, userIn(context), openRequest(authorization, request, body.request)),
		decide: async ({ body, request, context }) => {
			const asked = openRequest(authorization, request, body.request)
			return { redirect_url: await decide(authorization, userIn(context), asked, body, context.requestId) }
		},
		list: ({ query, context }) => listClients(authorization, userIn(context), query),
		revoke: async ({ params, context }) => {
			await disconnectClient(authorization, userIn(context), params.id, context.requestId)
			return undefined
		},
	})
}

/** The OAuth endpoints for clients, whose answers have the form of that protocol. */
function protocolRoutes(context: AuthorizationContext): Route[] {
	const issuer = (request: IncomingMessage) => issuerOf(context, request)
	const resource: Route['handle'] = (request, response, { params }) => {
		// A client would lead its user through a consent for a token that this address does not accept.
		if (params.server === platformServer) throw notFound('resource')
		sendJson(response, 200, resourceMetadata(issuer(request), params.server ?? null))
	}
	const server: Route['handle'] = (request, response) =>
		sendJson(response, 200, serverMetadata(issuer(request)))
	return [
		route('resource-root', 'GET', '/.well-known/oauth-protected-resource', resource),
		ofResource('resource-all', '/.well-known/oauth-protected-resource/mcp', resource),
		ofResource('resource-one', '/.well-known/oauth-protected-resource/mcp/{server}', resource),
		route('server', 'GET', '/.well-known/oauth-authorization-server', server),
		// For an issuer with a path, which follows this prefix (RFC 8414 §3.1).
		route('server-below', 'GET', '/.well-known/oauth-authorization-server/{path...}', server),
		route('authorize', 'GET', '/oauth/authorize', (request, response, { search }) =>
			authorize(context, request, response, search),
		),
		route('token', 'POST', '/oauth/token', (...request) => tokenEndpoint(context, ...request)),
		route('register', 'POST', '/oauth/register', (request, response) =>
			registrationEndpoint(context, request, response),
		),
		route('revoke', 'POST', '/oauth/revoke', (...request) => revocationEndpoint(context, ...request)),
	]
}

/** Accepts a trailing slash, as the MCP addresses do that the metadata describes. */
function ofResource(name: string, path: string, handle: Route['handle']): Route {
	return { ...route(name, 'GET', path, handle), slash: true }
}

function route(name: string, method: string, path: string, handle: Route['handle']): Route {
	return { id: `oauth.${name}`, method, path, access: { public: true }, family: 'page', handle }
}

type List = (typeof authorizationOperations)['list']

async function listClients(
	{ store, clock }: AuthorizationContext,
	person: UserPrincipal,
	query: QueryOf<List>,
): Promise<OutputOf<List>> {
	const { status, agent_uuid: agentId } = query
	const nowMs = clock.nowMs()
	const filter = { userId: seenBy(person), agentId, status }
	const { rows, total } = await listGrants(store.db, person.workspaceId, filter, query, nowMs)
	return { authorizations: rows.map((row) => present(row, nowMs)), pagination: paginate(query, total) }
}

/** Disconnects one's own client or, as an admin, anyone's. Idempotent. */
async function disconnectClient(
	context: AuthorizationContext,
	person: UserPrincipal,
	id: string,
	requestId: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		const grant = await findGrant(tx, person.workspaceId, id, seenBy(person))
		if (!grant) throw notFound('authorization')
		await revokeGrant(context, tx, grant, { actor: actorOf(person), reason: 'by hand', requestId })
	})
}

/** Null for admins, who see everyone's clients; others see their own. */
function seenBy({ role, userId }: UserPrincipal): string | null {
	return roleHas(role, 'members:write') ? null : userId
}

function present(row: NamedGrant, nowMs: number): OutputOf<List>['authorizations'][number] {
	return {
		id: row.id,
		client: { id: row.client_id, name: row.client_name },
		user: { id: row.user_id, email: row.email },
		agent: { uuid: row.agent_id, name: row.agent_name },
		resource: row.resource,
		scopes: row.scope.split(' '),
		status: row.revoked_at !== null ? 'revoked' : row.expires_at > nowMs ? 'active' : 'expired',
		created_at: toIso(row.created_at),
		last_used_at: row.last_used_at === null ? null : toIso(row.last_used_at),
		expires_at: toIso(row.expires_at),
	}
}

function tokenEndpoint(
	context: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
	{ requestId }: RequestContext,
): Promise<void> {
	return answerOauth(response, async () => {
		const fields = await readForm(request)
		const grantType = requireField(fields, 'grant_type')
		if (grantType === 'authorization_code')
			return sendJson(response, 200, await exchangeCode(context, fields, requestId))
		if (grantType === 'refresh_token')
			return sendJson(response, 200, await refreshTokens(context, fields, requestId))
		throw new OauthError(
			'unsupported_grant_type',
			'grant_type is authorization_code or refresh_token. A program that acts for no person uses an agent key, without OAuth.',
		)
	})
}

/** RFC 7009: any token of a grant revokes the grant. An unknown token gets the same answer. */
function revocationEndpoint(
	context: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
	{ requestId }: RequestContext,
): Promise<void> {
	return answerOauth(response, async () => {
		const fields = await readForm(request)
		const token = requireField(fields, 'token')
		const id = grantIdOf(token) ?? (await context.identity.oauthTokens.grantOf(token))
		const grant = id === null ? undefined : await findGrantByToken(context.store.db, id)
		const isTheirs = fields.client_id === undefined || fields.client_id === grant?.client_id
		if (grant && isTheirs) {
			const actor = systemActor(`client ${grant.client_name}`)
			await context.mutate((tx) =>
				revokeGrant(context, tx, grant, { actor, reason: 'by the client', requestId }),
			)
		}
		sendJson(response, 200, {})
	})
}
