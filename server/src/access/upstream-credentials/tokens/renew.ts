import type { TokenEndpointResponse } from 'openid-client'
import { appendChange } from '../../../platform/changes.ts'
import { newId } from '../../../platform/ids.ts'
import { findMetadata } from '../authorization-servers/find-metadata.ts'
import { findResource } from '../authorization-servers/find-resource.ts'
import { withSecret } from '../authorization-servers/our-client.ts'
import { configure, loadClient } from '../authorization-servers/protocol.ts'
import { clientSecretOf } from '../upstream-auth.ts'
import type { TokenServer, UpstreamContext } from '../upstream-credential-context.ts'
import {
	type AuthRow,
	changeTokens,
	putTokens,
	type TokenRow,
	takeLease,
} from '../upstream-credential-repository.ts'
import { columnsOf, openTokens } from './stored-tokens.ts'

type Context = Pick<UpstreamContext, 'mutate' | 'sealer' | 'clock' | 'safeFetch' | 'log'>

const leaseMs = 20_000

/**
 * Exchanges the refresh token for new tokens, in one process at a time. False when another process does it, or did.
 * A crash in between leaves the lease to run out and the old refresh token to be tried once more; where the server had
 * exchanged it already, the owner is asked again.
 */
export async function refresh(context: Context, row: TokenRow): Promise<boolean> {
	const { mutate, clock, sealer } = context
	const nowMs = clock.nowMs()
	if (!(await mutate((tx) => takeLease(tx, row, nowMs, nowMs + leaseMs)))) return false
	const stored = openTokens(sealer, row)
	const change = await askAgain(context, row).then(
		(answer) => columnsOf(sealer, row, answer, { ...stored, scope: row.scope }, clock.nowMs()),
		(error: unknown) => changeAfter(context, row, error),
	)
	await mutate(async (tx) => {
		await changeTokens(tx, row, change)
		await appendChange(tx, 'upstream_token', row.id, clock)
	})
	return true
}

async function askAgain({ safeFetch, sealer }: Context, row: TokenRow): Promise<TokenEndpointResponse> {
	const { client, resource, refreshToken } = openTokens(sealer, row)
	if (refreshToken === null) throw new NoRefreshToken()
	const configuration = await configure(safeFetch, await findMetadata(safeFetch, row.issuer), client)
	return (await loadClient()).refreshTokenGrant(configuration, refreshToken, { resource })
}

class NoRefreshToken extends Error {}

/** Only a clear refusal ends the tokens; a server in trouble is asked again with the next call. */
function changeAfter({ log, clock }: Context, row: TokenRow, error: unknown): Partial<TokenRow> {
	log.warn({ err: error, server_id: row.server_id }, 'upstream credentials: tokens were not refreshed')
	const code = (error as { error?: unknown }).error
	const isRefused = error instanceof NoRefreshToken || code === 'invalid_grant' || code === 'invalid_client'
	return {
		lease_until: null,
		updated_at: clock.nowMs(),
		...(isRefused && { status: 'needs_consent' }),
	}
}

/** Tokens for the workspace by the client's own credentials; two processes at once get two, and the later ones stay. */
export async function askForOurselves(context: Context, server: TokenServer, auth: AuthRow): Promise<void> {
	const { safeFetch, sealer, clock, mutate } = context
	const { resource, issuers, scope } = await findResource(safeFetch, server.url)
	const metadata = await findMetadata(safeFetch, auth.issuer ?? (issuers[0] as string))
	const client = withSecret(metadata, auth.client_id ?? '', clientSecretOf(sealer, auth))
	const wanted = auth.scope ?? scope
	const configuration = await configure(safeFetch, metadata, client)
	const answer = await (await loadClient()).clientCredentialsGrant(configuration, {
		resource,
		...(wanted !== null && { scope: wanted }),
	})
	const nowMs = clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: auth.workspace_id, origin: new URL(server.url).origin }
	const columns = columnsOf(
		sealer,
		bound,
		answer,
		{ client, resource, refreshToken: null, scope: wanted },
		nowMs,
	)
	await mutate(async (tx) => {
		const owned = { server_id: server.id, owner: 'workspace', owner_id: '', issuer: metadata.issuer }
		await putTokens(tx, { ...bound, ...owned, ...columns, created_at: nowMs })
		await appendChange(tx, 'upstream_token', bound.id, clock)
	})
}
