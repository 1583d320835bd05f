import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import { createProviderFetch } from '../../../accounts/identity/index.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import type { OurClient } from './our-client.ts'

/** Loaded at the first use: most instances never need it. */
export const loadClient = () => import('openid-client')

/** Ready to speak with an authorization server as our client, through safe-fetch. */
export async function configure(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	metadata: ServerMetadata,
	{ id, secret, method }: OurClient,
): Promise<Configuration> {
	const client = await loadClient()
	const authentication =
		secret === null || method === 'none'
			? client.None()
			: method === 'client_secret_post'
				? client.ClientSecretPost(secret)
				: basicAuthentication(id, secret)
	const configuration = new client.Configuration(metadata, id, {}, authentication)
	configuration[client.customFetch] = createProviderFetch(safeFetch as SafeFetch)
	configuration.timeout = 10
	// The metadata has been judged: plain http is for servers on this machine only.
	if (new URL(metadata.token_endpoint ?? metadata.issuer).protocol === 'http:')
		client.allowInsecureRequests(configuration)
	return configuration
}

/** With the names as forms encode them (RFC 6749 §2.3.1), which leaves `-`, `.` and `_` alone: much-used servers do not decode. */
function basicAuthentication(id: string, secret: string): ClientAuth {
	const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
	const credentials = Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')
	return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`)
}
