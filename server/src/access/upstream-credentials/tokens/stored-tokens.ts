import type { TokenEndpointResponse } from 'openid-client'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import type { UpstreamOauthClient } from '../authorization-servers/oauth-client.ts'
import type { TokenRow } from '../upstream-credential-repository.ts'

/** The sealed part of one owner's tokens for one server: everything that a refresh needs. */
export interface StoredTokens {
	accessToken: string
	refreshToken: string | null
	client: UpstreamOauthClient
	resource: string
}

type Bound = Pick<TokenRow, 'id' | 'workspace_id' | 'origin'>

/** Sealed for the origin of the server: with another address they cannot be opened, so they are never sent elsewhere. */
export function sealTokens(sealer: Sealer, bound: Bound, tokens: StoredTokens): string {
	return sealer.seal(JSON.stringify(tokens), contextOf(bound))
}

export function openTokens(sealer: Sealer, row: TokenRow): StoredTokens {
	return JSON.parse(sealer.open(row.sealed_tokens, contextOf(row))) as StoredTokens
}

/** The columns that an answer of the token endpoint changes. If it has no refresh token, the old one is kept. */
export function columnsOf(
	sealer: Sealer,
	bound: Bound,
	answer: TokenEndpointResponse,
	kept: Pick<StoredTokens, 'client' | 'resource' | 'refreshToken'> & { scope: string | null },
	nowMs: number,
): Pick<TokenRow, 'sealed_tokens' | 'scope' | 'status' | 'expires_at' | 'lease_until' | 'updated_at'> {
	const { client, resource } = kept
	const refreshToken = answer.refresh_token ?? kept.refreshToken
	return {
		sealed_tokens: sealTokens(sealer, bound, {
			accessToken: answer.access_token,
			refreshToken,
			client,
			resource,
		}),
		scope: answer.scope ?? kept.scope,
		status: 'active',
		expires_at: answer.expires_in === undefined ? null : nowMs + answer.expires_in * 1000,
		lease_until: null,
		updated_at: nowMs,
	}
}

function contextOf({ workspace_id: workspaceId, id, origin }: Bound) {
	return { workspaceId, kind: 'upstream_token', origin, id }
}
