import { createHash } from 'node:crypto'

const verifier = 'a-verifier-of-forty-three-characters-or-more-0'
const redirectUri = 'http://127.0.0.1:9/callback'

/** Registers an OAuth client and sends its authorization request, up to the consent page. */
async function askConsent(address: string): Promise<{ clientId: string; request: string; cookie: string }> {
	const registered = await fetch(`${address}/oauth/register`, {
		method: 'POST',
		body: JSON.stringify({ client_name: 'Ours', redirect_uris: [redirectUri] }),
	})
	const { client_id: clientId } = (await registered.json()) as { client_id: string }
	const asked = new URLSearchParams({
		response_type: 'code',
		client_id: clientId,
		redirect_uri: redirectUri,
		code_challenge: createHash('sha256').update(verifier).digest('base64url'),
		code_challenge_method: 'S256',
	})
	const page = await fetch(`${address}/oauth/authorize?${asked}`, { redirect: 'manual' })
	const request = new URL(page.headers.get('location') ?? address).hash.slice(1)
	return { clientId, request, cookie: page.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

/** Exchanges the authorization code in the redirect URL for a token, which connects the client. */
async function exchangeCode(address: string, clientId: string, redirectUrl: string): Promise<void> {
	const form = {
		grant_type: 'authorization_code',
		code: new URL(redirectUrl).searchParams.get('code') ?? '',
		client_id: clientId,
		redirect_uri: redirectUri,
		code_verifier: verifier,
	}
	const answer = await fetch(`${address}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
	if (answer.status !== 200) throw new Error(`/oauth/token answered ${answer.status}: ${await answer.text()}`)
}

/** Connects an OAuth client on behalf of the user of an access token. Returns the id of the authorization. */
export async function connectClient(address: string, token: string): Promise<string> {
	const { clientId, request, cookie } = await askConsent(address)
	const headers = { authorization: `Bearer ${token}` }
	const decided = await fetch(`${address}/v1/authorizations/decide`, {
		method: 'POST',
		headers: { ...headers, cookie, 'content-type': 'application/json' },
		body: JSON.stringify({ request, decision: 'approve' }),
	})
	const { redirect_url } = (await decided.json()) as { redirect_url: string }
	await exchangeCode(address, clientId, redirect_url)
	const listed = await fetch(`${address}/v1/authorizations`, { headers })
	const { authorizations } = (await listed.json()) as { authorizations: { id: string }[] }
	return authorizations[0]?.id ?? ''
}
