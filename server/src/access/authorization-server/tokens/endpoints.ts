import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemActor } from '../../../accounts/audit/index.ts'
import { type RequestContext, sendJson } from '../../../platform/http/index.ts'
import type { AuthorizationContext } from '../context.ts'
import { answerOauth, OauthError } from '../oauth-error.ts'
import { readForm, requireField } from '../read-form.ts'
import { findGrantByToken } from '../repository.ts'
import { exchangeCode } from './exchange-code.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { revokeGrant } from './revoke-grant.ts'
import { grantIdOf } from './token-texts.ts'

export function tokenEndpoint(
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
		throw new OauthError('unsupported_grant_type', 'grant_type is authorization_code or refresh_token.')
	})
}

/** RFC 7009: whatever token of a grant is sent, the grant ends; an unknown one is answered alike. */
export function revocationEndpoint(
	context: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
	{ requestId }: RequestContext,
): Promise<void> {
	return answerOauth(response, async () => {
		const fields = await readForm(request)
		const token = requireField(fields, 'token')
		const id = grantIdOf(token) ?? context.identity.oauthTokens.grantOf(token)
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
