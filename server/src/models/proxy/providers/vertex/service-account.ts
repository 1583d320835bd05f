import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { Problem } from '../../../../platform/errors.ts'
import type { CredentialTools, HeaderList } from '../provider.ts'

/** A stored credential of Vertex AI. */
export interface VertexCredential {
	service_account: { client_email: string; private_key: string; private_key_id?: string; token_uri?: string }
	project: string
	location: string
}

const defaultTokenUri = 'https://oauth2.googleapis.com/token'
const scope = 'https://www.googleapis.com/auth/cloud-platform'
const assertionLifeS = 3600
/** A token is renewed this long before it expires. */
const marginMs = 5 * 60_000
const timeoutMs = 15_000

interface Token {
	header: HeaderList
	expiresMs: number
}

/** Tokens by credential, or pending requests for one, which all calls share. */
const known = new Map<string, Token | Promise<HeaderList>>()
const rememberedMax = 1000

/** The access token of a service account as a header. Synchronous if one is cached. */
export function authorize(
	credential: string,
	_request: unknown,
	tools: CredentialTools,
): HeaderList | Promise<HeaderList> {
	const token = known.get(credential)
	if (token instanceof Promise) return token
	if (token && tools.clock.nowMs() < token.expiresMs - marginMs) return token.header
	const asked = exchange(JSON.parse(credential) as VertexCredential, tools)
		.then((fresh) => {
			if (known.size >= rememberedMax) known.clear()
			known.set(credential, fresh)
			return fresh.header
		})
		.catch((error: unknown) => {
			known.delete(credential)
			throw error
		})
	known.set(credential, asked)
	return asked
}

/** Exchanges a signed assertion for an access token (RFC 7523). */
async function exchange({ service_account }: VertexCredential, tools: CredentialTools): Promise<Token> {
	const nowMs = tools.clock.nowMs()
	const tokenUri = service_account.token_uri ?? defaultTokenUri
	const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
	const assertion = await signAssertion(service_account, tokenUri, Math.floor(nowMs / 1000))
	const response = await tools.fetch(tokenUri, {
		method: 'POST',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: new URLSearchParams({ grant_type, assertion }).toString(),
		timeoutMs,
		redirects: 0,
	})
	const answer = (await response.json().catch(() => null)) as Record<string, unknown> | null
	if (!response.ok || typeof answer?.access_token !== 'string') throw refused(response.status, answer)
	const lifeS = typeof answer.expires_in === 'number' ? answer.expires_in : assertionLifeS
	return { header: ['authorization', `Bearer ${answer.access_token}`], expiresMs: nowMs + lifeS * 1000 }
}

async function signAssertion(
	{ client_email, private_key, private_key_id: kid }: VertexCredential['service_account'],
	audience: string,
	nowS: number,
): Promise<string> {
	return new SignJWT({ scope })
		.setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid && { kid }) })
		.setIssuer(client_email)
		.setAudience(audience)
		.setIssuedAt(nowS)
		.setExpirationTime(nowS + assertionLifeS)
		.sign(createPrivateKey(private_key))
}

function refused(status: number, answer: Record<string, unknown> | null): Problem {
	const reason = typeof answer?.error === 'string' ? ` (${answer.error.slice(0, 80)})` : ''
	return new Problem(
		'upstream_unreachable',
		`The token endpoint refuses the service account: ${status}${reason}.`,
	)
}
