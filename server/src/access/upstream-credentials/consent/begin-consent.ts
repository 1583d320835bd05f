import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { byScope, type UpstreamOwner } from '@signalbox/contract'
import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { authorize } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import { findMetadata, findResource, requirePkce } from '../authorization-servers/find-resource.ts'
import {
	callbackPath,
	configure,
	loadClient,
	obtainClient,
	type UpstreamOauthClient,
	withSecret,
} from '../authorization-servers/oauth-client.ts'
import { texts } from '../authorization-servers/read-json.ts'
import { columnsOf } from '../tokens/stored-tokens.ts'
import type { UpstreamContext } from '../tokens/upstream-tokens.ts'
import { clientSecretOf, requireSameAuth } from '../upstream-auth.ts'
import { addressOf, changeOf, serverIn } from '../upstream-credential-context.ts'
import {
	type AuthRow,
	emailOfMember,
	type FlowRow,
	findAuth,
	insertFlow,
	putTokens,
	takeFlow,
} from '../upstream-credential-repository.ts'

/** The secret state of one authorization flow. */
interface FlowSecrets {
	state: string
	verifier: string
	redirectUri: string
	client: UpstreamOauthClient
	resource: string
	scope: string | null
}

export const flowLifetimeMs = 10 * 60 * 1000
const random = () => randomBytes(32).toString('base64url')

interface Wanted {
	agentId?: string | undefined
	scope?: string | undefined
}

/** The URL to which the browser of a consenting person is redirected, and the cookie that binds the flow to that browser. */
export async function beginConsent(
	context: UpstreamContext,
	request: IncomingMessage,
	person: UserPrincipal,
	serverId: string,
	wanted: Wanted,
): Promise<{ url: string; cookie: string }> {
	const server = serverIn(context, person.workspaceId, serverId)
	const auth = await findAuth(context.store.db, person.workspaceId, serverId)
	if (auth?.mode !== 'authorization_code')
		throw new Problem(
			'conflict',
			'This server needs no consent: its credentials are not set to authorization_code.',
		)
	const ownerId = ownerOf(context, person, auth.owner as UpstreamOwner, wanted.agentId)
	const { safeFetch } = context
	const resource = await findResource(safeFetch, server.url)
	const issuer = auth.issuer ?? (resource.issuers[0] as string)
	const metadata = await findMetadata(safeFetch, issuer)
	requirePkce(metadata)
	const address = addressOf(context, request)
	const scope = scopeOf(wanted.scope ?? auth.scope ?? resource.scope, metadata.scopes_supported)
	const client =
		auth.client_id === null
			? await obtainClient(safeFetch, metadata, address, scope)
			: withSecret(metadata, auth.client_id, clientSecretOf(context.sealer, auth))
	const redirectUri = `${address}${callbackPath}`
	const secrets: FlowSecrets = {
		state: random(),
		verifier: random(),
		redirectUri,
		client,
		resource: resource.resource,
		scope,
	}
	const cookie = await keepFlow(context, request, {
		server,
		auth,
		ownerId,
		issuer: metadata.issuer,
		person,
		secrets,
	})
	const protocol = await loadClient()
	const url = protocol.buildAuthorizationUrl(await configure(safeFetch, metadata, client), {
		redirect_uri: redirectUri,
		state: secrets.state,
		code_challenge: await protocol.calculatePKCECodeChallenge(secrets.verifier),
		code_challenge_method: 'S256',
		resource: secrets.resource,
		...(scope !== null && { scope }),
	})
	return { url: url.href, cookie }
}

/** People connect for themselves. Connecting for an agent or the workspace requires the right to change the server. */
function ownerOf(
	{ agents }: UpstreamContext,
	person: UserPrincipal,
	owner: UpstreamOwner,
	agentId: string | undefined,
): string {
	if (owner === 'user') return person.userId
	const refusal = authorize(byScope('servers:write'), person)
	if (refusal) throw refusal
	if (owner === 'workspace') return ''
	if (agentId === undefined)
		throw new Problem('invalid_request', 'body/agent_uuid: names the agent to connect for.')
	if (agents.view.get(agentId)?.workspaceId !== person.workspaceId) throw notFound('agent')
	return agentId
}

/** Requests a refresh token if the server requires that to be explicit (SEP-2207). */
function scopeOf(wanted: string | null, supported: unknown): string | null {
	if (!texts(supported).includes('offline_access') || wanted?.split(' ').includes('offline_access'))
		return wanted
	return wanted === null ? 'offline_access' : `${wanted} offline_access`
}

interface Flow {
	server: ServerEntry
	auth: AuthRow
	ownerId: string
	issuer: string
	person: UserPrincipal
	secrets: FlowSecrets
}

async function keepFlow(
	{ browserCookie, clock, sealer, mutate }: UpstreamContext,
	request: IncomingMessage,
	{ server, auth, ownerId, issuer, person, secrets }: Flow,
): Promise<string> {
	const browser = browserCookie.read(request) ?? random()
	const nowMs = clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: person.workspaceId, origin: new URL(server.url).origin }
	const row: FlowRow = {
		...bound,
		server_id: server.id,
		owner: auth.owner,
		owner_id: ownerId,
		issuer,
		user_id: person.userId,
		state_hash: hashToken(secrets.state),
		browser_hash: hashToken(browser),
		sealed_secrets: sealer.seal(JSON.stringify(secrets), flowContext(bound)),
		created_at: nowMs,
		expires_at: nowMs + flowLifetimeMs,
	}
	await mutate((tx) => insertFlow(tx, row))
	return browserCookie.set(browser)
}

function flowContext({ id, workspace_id, origin }: Pick<FlowRow, 'id' | 'workspace_id' | 'origin'>) {
	return { workspaceId: workspace_id, kind: 'upstream_flow', origin, id }
}

/** Exchanges the code with which the authorization server sent the browser back. Resolves with the connected server. */
export async function finishConsent(
	context: UpstreamContext,
	request: IncomingMessage,
	search: string,
	requestId: string,
): Promise<string> {
	const { flow, auth } = await closeFlow(context, request, new URLSearchParams(search).get('state'))
	const { sealer, safeFetch, clock } = context
	const server = serverIn(context, flow.workspace_id, flow.server_id)
	if (new URL(server.url).origin !== flow.origin) throw notFinished('The server has another address by now.')
	const secrets = JSON.parse(sealer.open(flow.sealed_secrets, flowContext(flow))) as FlowSecrets
	const configuration = await configure(safeFetch, await findMetadata(safeFetch, flow.issuer), secrets.client)
	// Checks `state` and `iss` (RFC 9207), which proves that this server answered and no other.
	const answer = await (await loadClient())
		.authorizationCodeGrant(
			configuration,
			new URL(`${secrets.redirectUri}?${search}`),
			{ expectedState: secrets.state, pkceCodeVerifier: secrets.verifier },
			{ resource: secrets.resource },
		)
		.catch((error: unknown) => {
			throw notFinished('The authorization server gave no token.', error)
		})
	const nowMs = clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: flow.workspace_id, origin: flow.origin }
	const columns = columnsOf(sealer, bound, answer, { ...secrets, refreshToken: null }, nowMs)
	const { server_id, owner, owner_id, issuer } = flow
	await context.mutate(async (tx) => {
		// Under its lock also a membership ends, so that no token of the person is stored after that.
		await requireSameAuth(tx, auth)
		const name = await emailOfMember(tx, flow.workspace_id, flow.user_id)
		if (name === undefined) throw notFinished('You are no longer a member of the workspace.')
		await putTokens(tx, { ...bound, server_id, owner, owner_id, issuer, ...columns, created_at: nowMs })
		const actor = { kind: 'user' as const, id: flow.user_id, name }
		const change = changeOf('connect', server, { owner, owner_id, issuer, scope: columns.scope })
		await context.audit.record(tx, { workspaceId: flow.workspace_id, actor, requestId, ...change })
		await appendChange(tx, 'upstream_token', bound.id, clock)
	})
	return flow.server_id
}

/** Takes the flow of a `state`, once, in the browser where it began, with the settings that it follows. Another browser consumes it too. */
async function closeFlow(
	{ mutate, clock, browserCookie }: UpstreamContext,
	request: IncomingMessage,
	state: string | null,
): Promise<{ flow: FlowRow; auth: AuthRow }> {
	const browser = browserCookie.read(request)
	const { flow, auth } = await mutate(async (tx) => {
		await lockNumbering(tx)
		const flow = state === null ? undefined : await takeFlow(tx, hashToken(state))
		return { flow, auth: flow && (await findAuth(tx, flow.workspace_id, flow.server_id)) }
	})
	const isOpen = flow && auth && flow.expires_at > clock.nowMs()
	if (!isOpen || browser === null || flow.browser_hash !== hashToken(browser))
		throw notFinished('It was finished before, took too long, or began in another browser.')
	return { flow, auth }
}

function notFinished(detail: string, cause?: unknown): Problem {
	return new Problem('authorization_invalid', detail, cause === undefined ? {} : { cause })
}
