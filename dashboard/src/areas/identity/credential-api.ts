import { api, changeShown, type Schemas, unwrap } from '../../api.ts'

export type CredentialKind = 'key' | 'token'
/** A key, or an ingest token, which has neither scopes nor an agent and cannot call models. */
export type Credential = Schemas['IngestToken'] &
	Partial<Pick<Schemas['Key'], 'scopes' | 'agent_uuid' | 'on_disconnect'>>

export interface CredentialChange {
	name: string
	expires_at: string | null
	allowed_addresses: string[] | null
	scopes?: Schemas['Key']['scopes']
	on_disconnect?: Schemas['Key']['on_disconnect']
}

const byId = (id: string) => ({ params: { path: { id } } })

/** The operations on a credential of either kind. */
export const credentialApi = {
	key: {
		change: (key: Credential, body: Partial<CredentialChange>) =>
			changeShown('/v1/keys/{id}', { id: key.id }, key, body),
		rotate: async (id: string, graceS: number) => {
			const body = { grace_s: graceS }
			return (await unwrap(api.POST('/v1/keys/{id}/rotate', { ...byId(id), body }))).key
		},
		cancelRotation: (id: string) => unwrap(api.DELETE('/v1/keys/{id}/rotation', byId(id))),
		revoke: (id: string) => unwrap(api.DELETE('/v1/keys/{id}', byId(id))),
	},
	token: {
		change: (token: Credential, body: Partial<Omit<CredentialChange, 'scopes' | 'on_disconnect'>>) =>
			changeShown('/v1/ingest-tokens/{id}', { id: token.id }, token, body),
		rotate: async (id: string, graceS: number) => {
			const body = { grace_s: graceS }
			return (await unwrap(api.POST('/v1/ingest-tokens/{id}/rotate', { ...byId(id), body }))).token
		},
		cancelRotation: (id: string) => unwrap(api.DELETE('/v1/ingest-tokens/{id}/rotation', byId(id))),
		revoke: (id: string) => unwrap(api.DELETE('/v1/ingest-tokens/{id}', byId(id))),
	},
}
