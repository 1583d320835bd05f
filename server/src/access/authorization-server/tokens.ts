import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Scope, tokenPrefixes } from '@signalbox/contract'
import { type Actor, systemActor } from '../../accounts/audit/audit.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { hashToken, idNamedBy, namingToken, toBase62, tokenOf } from '../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { endGrant, findGrantByCode, type GrantRow, redeemCode } from './authorization-repository.ts'
import { OauthError, requireField } from './oauth-error.ts'

const refreshPrefix = tokenPrefixes.refreshToken

/** A refresh token contains the id of its grant, so that even an old one identifies the grant to be revoked. */
function firstRefreshToken(grantId: string): string {
	return namingToken(refreshPrefix, grantId, randomBytes(16))
}

/** The next refresh token. It is derived, so that a client whose answer got lost receives the same one again. */
export function successorOf(sealer: Sealer, refreshToken: string, grantId: string): string {
	const secret = Buffer.from(sealer.mac('oauth-refresh-successor', refreshToken).slice(0, 32), 'hex')
	return namingToken(refreshPrefix, grantId, secret)
}

/** The access token that belongs to a refresh token. */
function accessTokenOf(sealer: Sealer, refreshToken: string): string {
	const secret = BigInt(`0x${sealer.mac('oauth-access', refreshToken)}`)
	return tokenOf(tokenPrefixes.accessToken, toBase62(secret, 43))
}

/** The grant named in a well-formed refresh token, or null. */
export function grantIdOf(refreshToken: string): string | null {
	return idNamedBy(refreshToken, refreshPrefix)
}

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
	access_token: string
	token_type: 'Bearer'
	expires_in: number
	refresh_token: string
	scope: string
}

const accessLifetimeMs = 60 * 60 * 1000

/** Makes the access token of a refresh token valid at the ingress. */
export async function openIngress(
	{ identity, sealer, clock }: AuthorizationContext,
	tx: DatabaseTransaction,
	grant: GrantRow,
	refreshToken: string,
): Promise<void> {
	await identity.oauthTokens.put(tx, {
		id: grant.id,
		workspaceId: grant.workspace_id,
		agentId: grant.agent_id,
		userId: grant.user_id,
		name: grant.client_name,
		audience: grant.resource,
		scopes: grant.scope.split(' ') as Scope[],
		token: accessTokenOf(sealer, refreshToken),
		expiresAtMs: Math.min(clock.nowMs() + accessLifetimeMs, grant.expires_at),
	})
}

/** `issuedAtMs`: when the access token was issued, which is earlier if an answer is repeated. */
export function toTokenAnswer(
	{ sealer, clock }: AuthorizationContext,
	grant: GrantRow,
	refreshToken: string,
	issuedAtMs: number,
): TokenAnswer {
	const endsAtMs = Math.min(issuedAtMs + accessLifetimeMs, grant.expires_at)
	return {
		access_token: accessTokenOf(sealer, refreshToken),
		token_type: 'Bearer',
		expires_in: Math.round((endsAtMs - clock.nowMs()) / 1000),
		refresh_token: refreshToken,
		scope: grant.scope,
	}
}

type Fields = Readonly<Record<string, string>>

/** Exchanges a code, once. A second use revokes the grant and everything issued by the first one. */
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
	checkGrant(grant, fields, context.clock.nowMs())
	const refreshToken = firstRefreshToken(grant.id)
	const used = await context.mutate(async (tx) => {
		const isFirst = await redeemCode(tx, grant, hashToken(refreshToken), context.clock.nowMs())
		if (isFirst) await openIngress(context, tx, grant, refreshToken)
		return isFirst
	})
	if (used) return toTokenAnswer(context, grant, refreshToken, context.clock.nowMs())
	await revokeReused(context, grant, 'authorization code', requestId)
	throw invalidGrant()
}

function checkGrant(grant: GrantRow, fields: Fields, nowMs: number): void {
	if (grant.code_expires_at <= nowMs) throw invalidGrant()
	if (requireField(fields, 'client_id') !== grant.client_id) throw invalidGrant()
	if (requireField(fields, 'redirect_uri') !== grant.redirect_uri) throw invalidGrant()
	if (!isVerifier(requireField(fields, 'code_verifier'), grant.code_challenge)) throw invalidGrant()
	requireResource(grant, fields)
}

/** A token is valid for the resource to which the person consented, whatever is requested later (RFC 8707 §2.2). */
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

interface Revocation {
	actor: Actor
	reason: string
	requestId: string
}

/** Revokes a grant with all its tokens. Idempotent. */
export async function revokeGrant(
	{ identity, audit, clock }: AuthorizationContext,
	tx: DatabaseTransaction,
	grant: GrantRow,
	{ actor, reason, requestId }: Revocation,
): Promise<void> {
	const { workspace_id: workspaceId, id } = grant
	if (!(await endGrant(tx, workspaceId, id, clock.nowMs()))) return
	await identity.oauthTokens.end(tx, workspaceId, id)
	await audit.record(tx, {
		workspaceId,
		actor,
		action: 'authorizations.revoke',
		target: { kind: 'authorization', id, name: grant.client_name },
		detail: { reason, user_id: grant.user_id, agent_uuid: grant.agent_id },
		requestId,
	})
}

/** A code or refresh token that is used twice must have been copied: everything issued for it is revoked. */
export async function revokeReused(
	context: AuthorizationContext,
	grant: GrantRow,
	what: string,
	requestId: string,
): Promise<void> {
	context.log.warn(
		{ grant: grant.id, user: grant.user_id },
		`oauth: ${what} was used twice; its grant was revoked`,
	)
	const revocation = { actor: systemActor(`${what} reuse`), reason: `${what} reuse`, requestId }
	await context.mutate((tx) => revokeGrant(context, tx, grant, revocation))
}
