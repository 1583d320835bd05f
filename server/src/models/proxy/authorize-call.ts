import { providers } from './providers/index.ts'
import type { CredentialTools, HeaderList } from './providers/provider.ts'
import type { Target } from './target.ts'

/** The headers that open a target: the caller's own key, or the stored credential. */
export function authorizationOf(
	{ ownKey, credential, provider, origin, path }: Target,
	request: { method: string; body: Buffer },
	tools: CredentialTools,
): HeaderList | Promise<HeaderList> {
	if (ownKey) return ownKey
	return providers[provider].authorize(credential ?? '', { ...request, origin, path }, tools)
}

/** What no text of a provider may carry into the record: the key, or every text of a credential. */
export function secretsOf({ ownKey, credential, path }: Target): string[] {
	if (credential === null) {
		const inQuery = new URLSearchParams(path.split('?')[1] ?? '').get('key')
		const inHeader = ownKey?.[1]?.replace(/^Bearer /, '')
		return [inQuery ?? '', inHeader ?? ''].filter((secret) => secret !== '')
	}
	return credential.startsWith('{') ? textsIn(JSON.parse(credential)) : [credential]
}

/** The shortest text of a credential that is worth hiding: a region is none. */
const shortest = 16

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return value.length < shortest ? [] : [value]
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
