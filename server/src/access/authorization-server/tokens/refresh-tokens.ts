import { hashToken } from '../../../platform/crypto/token.ts'
import type { AuthorizationContext } from '../context.ts'
import { OauthError } from '../oauth-error.ts'
import { requireField } from '../read-form.ts'
import { findGrantByToken, type GrantRow, rotateRefreshToken } from '../repository.ts'
import { invalidGrant, requireResource } from './exchange-code.ts'
import { openIngress, type TokenAnswer, toTokenAnswer } from './issue-tokens.ts'
import { revokeReused } from './revoke-grant.ts'
import { grantIdOf, successorOf } from './token-texts.ts'

type Fields = Readonly<Record<string, string>>

/** How long the token before the present one still gets the same answer, for a client that lost it. */
const graceMs = 10_000

/** Exchanges a refresh token for its successor. One that was exchanged before ends the grant, whoever sends it. */
export async function refreshTokens(
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
	if (now.previous_refresh_hash === hash && nowMs - refreshedAtMs <= graceMs)
		return toTokenAnswer(context, grant, successor, refreshedAtMs)
	await revokeReused(context, now, 'refresh token', requestId)
	throw invalidGrant()
}

async function liveGrant({ store, clock }: AuthorizationContext, id: string | null): Promise<GrantRow> {
	const grant = id === null ? undefined : await findGrantByToken(store.db, id)
	if (!grant || grant.revoked_at !== null || grant.expires_at <= clock.nowMs()) throw invalidGrant()
	return grant
}

function requireScope(grant: GrantRow, { scope }: Fields): void {
	const agreed = grant.scope.split(' ')
	if (scope?.split(' ').some((wanted) => wanted !== '' && !agreed.includes(wanted)))
		throw new OauthError('invalid_scope', 'The person agreed to fewer scopes.')
}
