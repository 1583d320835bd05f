import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import type { Connection } from './queries.ts'
import { SecretFields } from './secret-fields.tsx'
import { emptySecret, secretToSend } from './typed-secret.ts'

afterEach(cleanup)

let typed = emptySecret
function Form({ provider }: { provider: Connection['provider'] }) {
	const [secret, setSecret] = useState(emptySecret)
	typed = secret
	return <SecretFields provider={provider} typed={secret} onChange={setSecret} />
}

function fill(provider: Connection['provider'], texts: Record<string, string>) {
	render(<Form provider={provider} />)
	for (const [label, value] of Object.entries(texts))
		fireEvent.change(screen.getByLabelText(label), { target: { value } })
	return secretToSend(provider, typed)
}

test('most providers need a key', () => {
	expect(fill('gemini', { 'Provider key': 'AIza' })).toEqual({ key: 'AIza' })
})

test('Bedrock needs an access key, a region and optionally a session token', () => {
	const texts = { 'Access key ID': 'AKID', 'Secret access key': 's', Region: 'eu-central-1' }
	expect(fill('bedrock', texts)).toEqual({
		credential: { access_key_id: 'AKID', secret_access_key: 's', region: 'eu-central-1' },
	})
})

test('Vertex AI needs the JSON of a key file, and reports invalid JSON', () => {
	const texts = { 'Service account': '{"client_email":"a@b"}', Project: 'p', Location: 'global' }
	expect(fill('vertex', texts)).toEqual({
		credential: { service_account: { client_email: 'a@b' }, project: 'p', location: 'global' },
	})
	expect(() => secretToSend('vertex', { ...typed, serviceAccount: 'nonsense' })).toThrow('key file')
})
