import type { IncomingMessage } from 'node:http'
import { appendChange } from '../../../platform/changes.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import { Problem } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { findMetadata } from '../authorization-servers/find-metadata.ts'
import { configure, loadClient } from '../authorization-servers/protocol.ts'
import { columnsOf } from '../tokens/stored-tokens.ts'
import { recordChange, serverIn, type UpstreamContext } from '../upstream-credential-context.ts'
import { emailOf, type FlowRow, putTokens, takeFlow } from '../upstream-credential-repository.ts'
import { type FlowSecrets, flowContext } from './begin-consent.ts'

/** Exchanges what the authorization server sent the browser back with; the server that is connected now. */
export async function finishConsent(
	context: UpstreamContext,
	request: IncomingMessage,
	search: string,
	requestId: string,
): Promise<string> {
	const flow = await closeFlow(context, request, new URLSearchParams(search).get('state'))
	const { sealer, safeFetch, clock } = context
	const server = serverIn(context, flow.workspace_id, flow.server_id)
	if (new URL(server.url).origin !== flow.origin) throw notFinished('The server has another address by now.')
	const secrets = JSON.parse(sealer.open(flow.sealed_secrets, flowContext(flow))) as FlowSecrets
	const configuration = await configure(safeFetch, await findMetadata(safeFetch, flow.issuer), secrets.client)
	// It checks `state` and `iss` (RFC 9207), which says that this very server answered and no other.
	const answer = await (await loadClient())
		.authorizationCodeGrant(
			configuration,
			new URL(`${secrets.redirectUri}?${search}`),
			{ expectedState: secrets.state, pkceCodeVerifier: secrets.verifier },
			{ resource: secrets.resource },
		)
		.catch((error: unknown) => {
			throw notFinished('The authorization server gave no token.', error)
		})
	const nowMs = clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: flow.workspace_id, origin: flow.origin }
	const columns = columnsOf(sealer, bound, answer, { ...secrets, refreshToken: null }, nowMs)
	const { server_id, owner, owner_id, issuer } = flow
	await context.mutate(async (tx) => {
		await putTokens(tx, { ...bound, server_id, owner, owner_id, issuer, ...columns, created_at: nowMs })
		const actor = { kind: 'user' as const, id: flow.user_id, name: await emailOf(tx, flow.user_id) }
		const change = { workspaceId: flow.workspace_id, actor, requestId }
		await recordChange(tx, context, change, 'connect', server, {
			owner,
			owner_id,
			issuer,
			scope: columns.scope,
		})
		await appendChange(tx, 'upstream_token', bound.id, clock)
	})
	return flow.server_id
}

/** The consent of a `state`, once, in the browser where it began; a wrong browser uses it up too. */
async function closeFlow(
	{ mutate, clock, browserCookie }: UpstreamContext,
	request: IncomingMessage,
	state: string | null,
): Promise<FlowRow> {
	const browser = browserCookie.read(request)
	const row = state === null ? undefined : await mutate((tx) => takeFlow(tx, hashToken(state)))
	if (!row || row.expires_at <= clock.nowMs() || browser === null || row.browser_hash !== hashToken(browser))
		throw notFinished('It was finished before, took too long, or began in another browser.')
	return row
}

function notFinished(detail: string, cause?: unknown): Problem {
	return new Problem('authorization_invalid', detail, cause === undefined ? {} : { cause })
}
