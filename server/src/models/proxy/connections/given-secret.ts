import { createPrivateKey } from 'node:crypto'
import type { Provider, ProviderCredential } from '@signalbox/contract'
import { Problem } from '../../../platform/errors.ts'

/** What a request gives of a connection's secret. */
export interface GivenSecret {
	key?: string
	credential?: ProviderCredential
}

/** A secret as it is sealed: a key as it is, a credential as JSON with what is needed of it. */
export interface KeptSecret {
	text: string
	/** The end of what identifies it. */
	last4: string
	/** Where the provider is, when the credential says it. */
	baseUrl: string | undefined
}

/** Providers that take a credential; the others take a key. */
const takesCredential: ReadonlySet<Provider> = new Set<Provider>(['bedrock', 'vertex'])
const takesKey = (provider: Provider) => provider !== 'vertex'

/** The secret that a request gives, or null when it gives none. Throws a Problem for one that the provider does not take. */
export function givenSecret(
	provider: Provider,
	{ key, credential }: GivenSecret,
	assertUrl: (url: string) => URL,
): KeptSecret | null {
	if (key === undefined && credential === undefined) return null
	if (key !== undefined && credential !== undefined)
		throw refused('key', 'is not for a request with a credential')
	if (key !== undefined) {
		if (!takesKey(provider)) throw refused('key', `is not what ${provider} takes: send a credential`)
		if (key.startsWith('{')) throw refused('key', 'is a JSON document: send it as credential')
		return { text: key, last4: last4Of(key), baseUrl: undefined }
	}
	if (!takesCredential.has(provider)) throw refused('credential', `is not what ${provider} takes: send a key`)
	return keep(provider, credential as ProviderCredential, assertUrl)
}

function keep(
	provider: Provider,
	credential: ProviderCredential,
	assertUrl: (url: string) => URL,
): KeptSecret {
	if ('access_key_id' in credential) {
		if (provider !== 'bedrock') throw refused('credential', `is not what ${provider} takes`)
		const { access_key_id, region } = credential
		const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com`
		return { text: JSON.stringify(credential), last4: last4Of(access_key_id), baseUrl }
	}
	if (provider !== 'vertex') throw refused('credential', `is not what ${provider} takes`)
	const { service_account, project, location } = credential
	const { client_email, private_key, private_key_id, token_uri } = service_account
	requireRsaKey(private_key)
	if (token_uri !== undefined) assertUrl(token_uri)
	const account = {
		client_email,
		private_key,
		...(private_key_id && { private_key_id }),
		...(token_uri && { token_uri }),
	}
	return {
		text: JSON.stringify({ service_account: account, project, location }),
		last4: last4Of(private_key_id ?? ''),
		baseUrl: vertexBaseUrl(location),
	}
}

/** `global` and the two multi-regions have hosts of their own. */
function vertexBaseUrl(location: string): string {
	if (location === 'global') return 'https://aiplatform.googleapis.com'
	if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`
	return `https://${location}-aiplatform.googleapis.com`
}

function requireRsaKey(pem: string): void {
	try {
		if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return
	} catch {
		// Said below, without what was sent.
	}
	throw refused('credential/service_account/private_key', 'is no RSA key in PEM')
}

/** Four characters would be too much of a short key. */
function last4Of(key: string): string {
	return key.length < 12 ? '' : key.slice(-4)
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `${field.replaceAll('/', '.')} ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'credential', detail }],
	})
}
