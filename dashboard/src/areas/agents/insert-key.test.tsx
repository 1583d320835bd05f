import { expect, test } from 'vitest'
import { insertKey } from './insert-key.ts'

const link = (text: string) => insertKey({ kind: 'link', text }, 'YOUR_KEY', 'sk_1')

test('a command gets the key at every placeholder', () => {
	const step = { kind: 'command', text: 'export K=YOUR_KEY; add --key YOUR_KEY' } as const
	expect(insertKey(step, 'YOUR_KEY', 'sk_1')).toBe('export K=sk_1; add --key sk_1')
})

test('a link with a base64 configuration gets the key inside it', () => {
	const config = { url: 'https://box.example.org/mcp-key', headers: { Authorization: 'Bearer YOUR_KEY' } }
	const inserted = link(
		`cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${encodeURIComponent(btoa(JSON.stringify(config)))}`,
	)
	const found = new URL(inserted).searchParams.get('config') ?? ''
	expect(JSON.parse(atob(found))).toEqual({ ...config, headers: { Authorization: 'Bearer sk_1' } })
	expect(inserted.startsWith('cursor://anysphere.cursor-deeplink/mcp/install?name=x&')).toBe(true)
})

test('a link that makes the client ask for the key is not changed', () => {
	expect(link('vscode:mcp/install?%7B%22name%22%3A%22x%22%7D')).toBe(
		'vscode:mcp/install?%7B%22name%22%3A%22x%22%7D',
	)
})
