import { type authorizationOperations, type BodyOf, tokenPrefixes } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import {
	deleteAnswered,
	deleteEndedGrants,
	type GrantRow,
	insertAnswered,
	insertGrant,
} from '../authorization-repository.ts'
import type { AuthorizationRequest } from '../authorization-request.ts'
import { responseUrl } from '../redirect.ts'
import { chooseAgent } from './choose-agent.ts'
import { serverOf } from './describe-request.ts'

type Decision = BodyOf<(typeof authorizationOperations)['decide']>

/** How long the client has to exchange its code. */
export const codeLifetimeMs = 60_000
/** How long a client stays connected; then the person is asked again. */
const grantLifetimeMs = 90 * 24 * 60 * 60 * 1000
/** How long one can see what has ended. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/** Where to lead the browser: back to the client, with a code or with the refusal. */
export async function decide(
	context: AuthorizationContext,
	person: UserPrincipal,
	asked: AuthorizationRequest,
	{ decision, agent_uuid: agentId }: Decision,
	requestId: string,
): Promise<string> {
	if (decision === 'deny') {
		await context.mutate((tx) => answerOnce(tx, asked, context.clock.nowMs()))
		return responseUrl(asked, { error: 'access_denied', error_description: 'The person said no.' })
	}
	serverOf(context.servers.view, person.workspaceId, asked)
	const code = newToken(tokenPrefixes.authorizationCode)
	await context.mutate(async (tx) => {
		await answerOnce(tx, asked, context.clock.nowMs())
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

/** Whoever has the sealed request and the browser's cookie answers it once, yes or no. A refused answer is none. */
async function answerOnce(
	tx: DatabaseTransaction,
	{ id, expiresAtMs }: AuthorizationRequest,
	nowMs: number,
): Promise<void> {
	await deleteAnswered(tx, nowMs)
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
