import type { AuthInput, UpstreamAuth } from './queries.ts'

/** The OAuth settings of a server as form fields; an empty text means automatic discovery. */
export interface OauthDraft {
	mode: 'authorization_code' | 'client_credentials'
	owner: UpstreamAuth['owner']
	registration: 'automatic' | 'manual'
	issuer: string
	clientId: string
	clientSecret: string
	scope: string
}

export function toOauthDraft({ mode, owner, issuer, client_id, scope }: UpstreamAuth): OauthDraft {
	return {
		mode: mode === 'client_credentials' ? mode : 'authorization_code',
		owner,
		registration: client_id === null ? 'automatic' : 'manual',
		issuer: issuer ?? '',
		clientId: client_id ?? '',
		clientSecret: '',
		scope: scope ?? '',
	}
}

/** Client credentials belong to the workspace, and always need a client that was registered by hand. */
export function fromOauthDraft(draft: OauthDraft): AuthInput {
	const isManual = isRegisteredByHand(draft)
	return {
		mode: draft.mode,
		owner: draft.mode === 'client_credentials' ? 'workspace' : draft.owner,
		issuer: draft.issuer.trim() || null,
		client_id: isManual ? draft.clientId.trim() || null : null,
		scope: draft.scope.trim() || null,
		...(isManual && draft.clientSecret && { client_secret: draft.clientSecret }),
	}
}

export function isRegisteredByHand({ mode, registration }: OauthDraft): boolean {
	return mode === 'client_credentials' || registration === 'manual'
}
