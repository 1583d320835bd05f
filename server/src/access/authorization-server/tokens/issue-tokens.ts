import type { Scope } from '@signalbox/contract'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import type { GrantRow } from '../authorization-repository.ts'
import { accessTokenOf } from './token-texts.ts'

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
	access_token: string
	token_type: 'Bearer'
	expires_in: number
	refresh_token: string
	scope: string
}

const accessLifetimeMs = 60 * 60 * 1000

/** Lets the access token that goes with a refresh token through the ingress. */
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

/** `issuedAtMs`: when the access token was made, which is earlier where an answer is given a second time. */
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
