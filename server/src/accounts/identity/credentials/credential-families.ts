import type { CredentialKindName } from './credential-repository.ts'

/** The two families of credentials in the API: each has its own path, words and audit actions. */
export interface CredentialFamily {
	kinds: readonly CredentialKindName[]
	/** As audit targets name it. */
	target: 'key' | 'ingest_token'
	/** Of audit actions, as in `keys.rotate`. */
	area: 'keys' | 'ingest-tokens'
	/** For people, in a 404. */
	noun: string
}

export const keyFamily: CredentialFamily = {
	kinds: ['platform', 'agent'],
	target: 'key',
	area: 'keys',
	noun: 'key',
}
export const tokenFamily: CredentialFamily = {
	kinds: ['ingest'],
	target: 'ingest_token',
	area: 'ingest-tokens',
	noun: 'ingest token',
}

export function familyOf(kind: string): CredentialFamily {
	return kind === 'ingest' ? tokenFamily : keyFamily
}
