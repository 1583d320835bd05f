import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { changeShown } from './api.ts'

const shown = { name: 'Support', description: 'Sorts mail', groups: ['a'] }
let stored: object = shown
let changes: { etag: string | null; body: unknown }[] = []

beforeEach(() => {
	stored = shown
	changes = []
	vi.stubGlobal('fetch', async (request: Request) => {
		if (request.method === 'PATCH')
			changes.push({ etag: request.headers.get('if-match'), body: await request.json() })
		return new Response(JSON.stringify(stored), {
			headers: { 'content-type': 'application/json', etag: '"v1.x"' },
		})
	})
})
afterEach(() => vi.unstubAllGlobals())

const rename = () => changeShown('/v1/agents/{id}', { id: 'a-1' }, shown, { name: 'Mine' })

test('a change is sent for the version that was compared, whatever others have changed elsewhere', async () => {
	stored = { ...shown, description: 'Sorts chats', groups: ['b'] }
	await rename()
	expect(changes).toEqual([{ etag: '"v1.x"', body: { name: 'Mine' } }])
})

test('a field that somebody else has changed since it was shown is not overwritten, except by the same value', async () => {
	stored = { ...shown, name: 'Theirs' }
	await expect(rename()).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
	expect(changes).toEqual([])
	stored = { ...shown, name: 'Mine' }
	await rename()
	expect(changes.length).toBe(1)
})
