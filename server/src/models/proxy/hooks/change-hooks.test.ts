import { describe, expect, it } from 'vitest'
import { useProxyStage } from '../testing/proxy-stage.ts'

describe('the rules for hooks', () => {
	const stage = useProxyStage()
	const api = (method: string, path: string, body?: object) =>
		stage.proxy.api(stage.key, method, `/v1/hooks${path}`, body)

	it.each([
		['a pattern that is none', { action: 'deny', pattern: '(?=x)' }],
		['a pattern that is missing', { action: 'redact' }],
		['a webhook without an address', { action: 'webhook' }],
		['a webhook with a pattern', { action: 'webhook', url: 'http://127.0.0.1:9/', pattern: 'x' }],
		['a change of a stream', { action: 'redact', pattern: 'x', stages: ['stream'] }],
	])('refuses %s', async (_name, hook) => {
		const { status, json } = await api('POST', '', { name: 'Wrong', stages: ['request'], ...hook })
		expect([status, json.code]).toEqual([400, 'invalid_request'])
	})

	it('only a hook with a webhook has a secret to rotate', async () => {
		const denial = { name: 'Guard', action: 'deny', pattern: 'x', stages: ['request'] }
		const { id } = (await api('POST', '', denial)).json
		expect((await api('POST', `/${id}/rotate-secret`)).status).toBe(409)
	})

	it('another origin gets another secret', async () => {
		const asking = { name: 'Asking', action: 'webhook', url: 'http://127.0.0.1:9/a', stages: ['request'] }
		const made = (await api('POST', '', asking)).json
		const move = (url: string) => api('PATCH', `/${made.id}`, { url })
		expect((await move('http://127.0.0.1:9/b')).json.secret).toBeUndefined()
		const { secret } = (await move('http://127.0.0.1:8/b')).json
		expect(secret).toMatch(/^whsec_/)
		expect(secret).not.toBe(made.secret)
	})
})
