import { createHash, timingSafeEqual } from 'node:crypto'
import { hashToken } from '../../../platform/crypto/token.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import { findGrantByCode, type GrantRow, useCode } from '../authorization-repository.ts'
import { OauthError } from '../oauth-error.ts'
import { requireField } from '../read-form.ts'
import { openIngress, type TokenAnswer, toTokenAnswer } from './issue-tokens.ts'
import { revokeReused } from './revoke-grant.ts'
import { firstRefreshToken } from './token-texts.ts'

type Fields = Readonly<Record<string, string>>

/** Exchanges a code, once. A second use ends the grant and whatever came of the first one. */
export async function exchangeCode(
	context: AuthorizationContext,
	fields: Fields,
	requestId: string,
): Promise<TokenAnswer> {
	const grant = await findGrantByCode(context.store.db, hashToken(requireField(fields, 'code')))
	if (!grant || grant.revoked_at !== null) throw invalidGrant()
	if (grant.refresh_hash !== null) {
		await revokeReused(context, grant, 'authorization code', requestId)
		throw invalidGrant()
	}
	judge(grant, fields, context.clock.nowMs())
	const refreshToken = firstRefreshToken(grant.id)
	const used = await context.mutate(async (tx) => {
		const isFirst = await useCode(tx, grant, hashToken(refreshToken), context.clock.nowMs())
		if (isFirst) await openIngress(context, tx, grant, refreshToken)
		return isFirst
	})
	if (used) return toTokenAnswer(context, grant, refreshToken, context.clock.nowMs())
	await revokeReused(context, grant, 'authorization code', requestId)
	throw invalidGrant()
}

function judge(grant: GrantRow, fields: Fields, nowMs: number): void {
	if (grant.code_expires_at <= nowMs) throw invalidGrant()
	if (requireField(fields, 'client_id') !== grant.client_id) throw invalidGrant()
	if (requireField(fields, 'redirect_uri') !== grant.redirect_uri) throw invalidGrant()
	if (!isVerifier(requireField(fields, 'code_verifier'), grant.code_challenge)) throw invalidGrant()
	requireResource(grant, fields)
}

/** A token is for the resource that the person agreed to, whatever is asked later (RFC 8707 §2.2). */
export function requireResource(grant: GrantRow, { resource }: Fields): void {
	if (resource !== undefined && resource.replace(/\/$/, '') !== grant.resource)
		throw new OauthError('invalid_target', 'The person agreed to another resource.')
}

function isVerifier(verifier: string, challenge: string): boolean {
	if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
	const digest = createHash('sha256').update(verifier).digest('base64url')
	return timingSafeEqual(Buffer.from(digest), Buffer.from(challenge))
}

export function invalidGrant(): OauthError {
	return new OauthError(
		'invalid_grant',
		'The code or token is not good: used, expired, revoked, or of another client.',
	)
}
