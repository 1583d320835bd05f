import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { byScope, type UpstreamOwner } from '@signalbox/contract'
import { hashToken } from '../../../platform/crypto/token.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { authorize, type UserPrincipal } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { ServerEntry } from '../../../servers/index.ts'
import { findMetadata, requirePkce } from '../authorization-servers/find-metadata.ts'
import { findResource } from '../authorization-servers/find-resource.ts'
import {
	callbackPath,
	introduceOurselves,
	type OurClient,
	withSecret,
} from '../authorization-servers/our-client.ts'
import { configure, loadClient } from '../authorization-servers/protocol.ts'
import { texts } from '../authorization-servers/read-json.ts'
import { clientSecretOf } from '../upstream-auth.ts'
import { addressOf, serverIn, type UpstreamContext } from '../upstream-credential-context.ts'
import { type AuthRow, type FlowRow, findAuth, insertFlow } from '../upstream-credential-repository.ts'

/** What belongs to one way to an authorization server and back. */
export interface FlowSecrets {
	state: string
	verifier: string
	redirectUri: string
	client: OurClient
	resource: string
	scope: string | null
}

export const flowLifetimeMs = 10 * 60 * 1000
const random = () => randomBytes(32).toString('base64url')

interface Wanted {
	agentId?: string | undefined
	scope?: string | undefined
}

/** Where to lead the browser of a person who has agreed, and the cookie that binds the way to that browser. */
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
	const client =
		auth.client_id === null
			? await introduceOurselves(safeFetch, metadata, address)
			: withSecret(metadata, auth.client_id, clientSecretOf(context.sealer, auth))
	const scope = scopeOf(wanted.scope ?? auth.scope ?? resource.scope, metadata.scopes_supported)
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

/** People connect for themselves; for an agent or everybody only who may change the server. */
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

/** A refresh token is asked for where the server wants that said (SEP-2207). */
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

export function flowContext({ id, workspace_id, origin }: Pick<FlowRow, 'id' | 'workspace_id' | 'origin'>) {
	return { workspaceId: workspace_id, kind: 'upstream_flow', origin, id }
}
