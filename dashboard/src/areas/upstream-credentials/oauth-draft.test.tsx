import { expect, test } from 'vitest'
import { fromOauthDraft, toOauthDraft } from './oauth-draft.ts'
import type { UpstreamAuth } from './queries.ts'

const auth: UpstreamAuth = {
	mode: 'authorization_code',
	owner: 'user',
	issuer: null,
	client_id: null,
	scope: null,
	has_client_secret: false,
	redirect_uri: 'https://box.example.com/oauth/callback',
}

test('settings that are opened and saved unchanged stay the same', () => {
	const { has_client_secret: _, redirect_uri: __, ...input } = auth
	expect(fromOauthDraft(toOauthDraft(auth))).toEqual(input)
	const manual = { ...input, issuer: 'https://login.example.com', client_id: 'ours', scope: 'read' }
	expect(fromOauthDraft(toOauthDraft({ ...auth, ...manual }))).toEqual(manual)
})

test('automatic registration discards a client that was registered by hand', () => {
	const draft = toOauthDraft({ ...auth, client_id: 'ours' })
	const { client_id, client_secret } = fromOauthDraft({
		...draft,
		registration: 'automatic',
		clientSecret: 'a secret',
	})
	expect({ client_id, client_secret }).toEqual({ client_id: null, client_secret: undefined })
})

test('client credentials belong to the workspace, and their client is registered by hand', () => {
	const draft = { ...toOauthDraft(auth), mode: 'client_credentials', clientId: 'machine' } as const
	expect(fromOauthDraft({ ...draft, issuer: 'https://login.example.com', clientSecret: 's' })).toEqual({
		mode: 'client_credentials',
		owner: 'workspace',
		issuer: 'https://login.example.com',
		client_id: 'machine',
		client_secret: 's',
		scope: null,
	})
})
