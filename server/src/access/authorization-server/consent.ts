import {
	type authorizationOperations,
	type BodyOf,
	byScope,
	type OutputOf,
	roleHas,
	tokenPrefixes,
} from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import type { MembershipChange } from '../../accounts/identity/identity.ts'
import { lockNumbering } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto/token.ts'
import { type DatabaseTransaction, lockGroups } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import type { UserPrincipal } from '../../platform/http/principal.ts'
import { authorize } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import {
	deleteAnswered,
	deleteEndedGrants,
	findMember,
	findPersonalAgent,
	type GrantRow,
	insertAnswered,
	insertGrant,
	insertPersonalAgent,
	listLiveGrantsOf,
} from './authorization-repository.ts'
import { isLoopbackUri } from './clients.ts'
import { type AuthorizationRequest, revokeGrant } from './code-flow.ts'
import { scopeTexts } from './metadata.ts'
import { responseUrl } from './oauth-error.ts'

/** Letting a client act as an agent is equivalent to creating a key of the agent, so it requires the same right. */
const choosing = 'keys:write'

function mayChooseAgent(person: UserPrincipal): boolean {
	return roleHas(person.role, choosing)
}

/** The agent that a client will act as: the person's own, created at its first use, or another one of the workspace. */
async function chooseAgent(
	context: AuthorizationContext,
	tx: DatabaseTransaction,
	person: UserPrincipal,
	wanted: string | undefined,
	requestId: string,
): Promise<string> {
	const { workspaceId, userId } = person
	const own = await findPersonalAgent(tx, workspaceId, userId)
	if (wanted === undefined) return own ?? addOwnAgent(context, tx, person, requestId)
	if (wanted === own) return own
	const refusal = authorize(byScope(choosing), person)
	if (refusal) throw refusal
	if (context.agents.view.get(wanted)?.workspaceId !== workspaceId) throw notFound('agent')
	return wanted
}

async function addOwnAgent(
	{ agents }: AuthorizationContext,
	tx: DatabaseTransaction,
	person: UserPrincipal,
	requestId: string,
): Promise<string> {
	const { workspaceId, userId, email } = person
	const member = await findMember(tx, workspaceId, userId)
	const agentId = await agents.add(tx, {
		workspaceId,
		name: `${(member?.name || email).slice(0, 80)}'s assistant`,
		description: `The assistants of ${email}`,
		groups: JSON.parse(member?.agent_groups ?? '[]') as string[],
		by: actorOf(person),
		requestId,
	})
	await insertPersonalAgent(tx, workspaceId, userId, agentId)
	return agentId
}

type Consent = OutputOf<(typeof authorizationOperations)['consent']>

/** The data for the consent page. Throws `not_found` if the resource's server does not belong to this workspace. */
export async function describeRequest(
	{ store, agents, servers }: AuthorizationContext,
	person: UserPrincipal,
	asked: AuthorizationRequest,
): Promise<Consent> {
	const { workspaceId, userId } = person
	const agentId = await findPersonalAgent(store.db, workspaceId, userId)
	const agent = agentId === undefined ? undefined : agents.view.get(agentId)
	return {
		client: {
			id: asked.clientId,
			name: asked.clientName,
			uri: asked.clientUri,
			verified_host: asked.verifiedHost,
		},
		redirect_host: hostOf(asked.redirectUri),
		is_local: isLoopbackUri(asked.redirectUri),
		scopes: asked.scopes.map((scope) => ({ scope, description: scopeTexts[scope] })),
		resource: asked.resource,
		server: serverOf(servers.view, workspaceId, asked),
		workspace: { id: workspaceId },
		own_agent: agent ? { uuid: agent.id, name: agent.name } : null,
		may_choose_agent: mayChooseAgent(person),
		expires_at: toIso(asked.expiresAtMs),
	}
}

/** The server of a request, for display; null for all servers. */
function serverOf(
	servers: AuthorizationContext['servers']['view'],
	workspaceId: string,
	{ server: name }: AuthorizationRequest,
): { id: string; name: string } | null {
	if (name === null) return null
	const server = servers.find(workspaceId, name)
	if (!server) throw notFound('MCP server')
	return { id: server.id, name: server.name }
}

function hostOf(redirectUri: string): string {
	const { host, protocol } = new URL(redirectUri)
	return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

type Decision = BodyOf<(typeof authorizationOperations)['decide']>

/** How long the client has to exchange its code. */
const codeLifetimeMs = 60_000
/** How long a client stays connected before the person is asked again. */
const grantLifetimeMs = 90 * 24 * 60 * 60 * 1000
/** How long ended grants remain visible. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/** The URL to which the browser is redirected: back to the client, with a code or the refusal. */
export async function decide(
	context: AuthorizationContext,
	person: UserPrincipal,
	asked: AuthorizationRequest,
	{ decision, agent_uuid: agentId }: Decision,
	requestId: string,
): Promise<string> {
	if (decision === 'deny') {
		await context.mutate((tx) => answerOnce(tx, asked, context.clock.deletionMs()))
		return responseUrl(asked, { error: 'access_denied', error_description: 'The person said no.' })
	}
	serverOf(context.servers.view, person.workspaceId, asked)
	const code = newToken(tokenPrefixes.authorizationCode)
	await context.mutate(async (tx) => {
		await requireMember(tx, person)
		await answerOnce(tx, asked, context.clock.deletionMs())
		const chosen = await chooseAgent(context, tx, person, agentId, requestId)
		const row = toRow(person, asked, chosen, code, context.clock.nowMs())
		await deleteEndedGrants(tx, context.clock.deletionMs(), keptMs)
		await insertGrant(tx, row)
		await context.audit.record(tx, {
			workspaceId: person.workspaceId,
			actor: actorOf(person),
			action: 'authorizations.create',
			target: { kind: 'authorization', id: row.id, name: row.client_name },
			detail: {
				client_id: row.client_id.slice(0, 200),
				agent_uuid: chosen,
				resource: row.resource,
				scope: row.scope,
			},
			requestId,
		})
	})
	return responseUrl(asked, { code })
}

/** The membership may end while the person answers, and its end disconnects only the clients that are connected by then. */
async function requireMember(tx: DatabaseTransaction, { workspaceId, userId }: UserPrincipal): Promise<void> {
	// These locks are always taken in this order; a person's new agent may have groups.
	await lockGroups(tx)
	await lockNumbering(tx)
	if (!(await findMember(tx, workspaceId, userId)))
		throw new Problem('forbidden', 'You are no longer a member of this workspace.')
}

/** A request, sealed for one browser, can be answered only once, yes or no. A decision that fails does not count. */
async function answerOnce(
	tx: DatabaseTransaction,
	{ id, expiresAtMs }: AuthorizationRequest,
	deletionMs: number,
): Promise<void> {
	await deleteAnswered(tx, deletionMs)
	if (!(await insertAnswered(tx, id, expiresAtMs)))
		throw new Problem('authorization_invalid', 'This request has been answered already.')
}

function toRow(
	{ workspaceId, userId }: UserPrincipal,
	asked: AuthorizationRequest,
	agentId: string,
	code: string,
	nowMs: number,
): GrantRow {
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		user_id: userId,
		agent_id: agentId,
		client_id: asked.clientId,
		client_name: asked.clientName,
		redirect_uri: asked.redirectUri,
		resource: asked.resource,
		scope: asked.scopes.join(' '),
		code_hash: hashToken(code),
		code_challenge: asked.codeChallenge,
		code_expires_at: nowMs + codeLifetimeMs,
		refresh_hash: null,
		previous_refresh_hash: null,
		refreshed_at: null,
		created_at: nowMs,
		expires_at: nowMs + grantLifetimeMs,
		revoked_at: null,
	}
}

/**
 * Brings the groups of a person's own agent in line with their sign-in provider; groups given by hand stay. Then disconnects the
 * clients to which the person could not consent any more: all without a membership, and those that act as an agent that the person
 * may not choose.
 */
export async function followMembership(
	context: AuthorizationContext,
	tx: DatabaseTransaction,
	{ workspaceId, userId, role, groups: { before, after }, by, requestId }: MembershipChange,
): Promise<void> {
	const own = await findPersonalAgent(tx, workspaceId, userId)
	const remove = before.filter((group) => !after.includes(group))
	if (own !== undefined && before.join() !== after.join())
		await context.agents.changeGroups(tx, { workspaceId, agentId: own, add: after, remove, by, requestId })
	if (role !== null && roleHas(role, choosing)) return
	const reason = role === null ? 'no member any more' : 'role changed'
	for (const grant of await listLiveGrantsOf(tx, workspaceId, userId))
		if (role === null || grant.agent_id !== own)
			await revokeGrant(context, tx, grant, { actor: by, reason, requestId })
}
