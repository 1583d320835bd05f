import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { type ProxyUnderTest, startProxy } from '../testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from '../testing.ts'

const canary = 'sk-canary-5c1e99-must-stay-inside'

describeWithStore('a stored provider key', (store) => {
	let proxy: ProxyUnderTest
	let mock: MockProvider
	let key: string
	let names = 0

	beforeAll(async () => {
		mock = await startMockProvider()
		proxy = await startProxy(store())
		key = (await proxy.addKey(await proxy.addWorkspace())).secret
	})
	afterEach(() => {
		mock.intercept = null
	})
	afterAll(async () => {
		await proxy?.close()
		await mock?.close()
	})

	const api = (method: string, path: string, body?: object) => proxy.api(key, method, path, body)
	const create = async (input: object = {}) => {
		names += 1
		const body = { name: `c${names}`, provider: 'openai', key: canary, base_url: mock.url, ...input }
		const made = await api('POST', '/v1/provider-keys', body)
		expect(made.status).toBe(201)
		return made.json
	}
	const test = async (id: string) => {
		const answer = await api('POST', `/v1/provider-keys/${id}/test`)
		expect(answer.text).not.toContain('canary')
		return answer
	}
	const refuseWith = (status: number, body: string, headers: Record<string, string> = {}) => {
		mock.intercept = (_received, response) => {
			response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
			return true
		}
	}

	it.each([
		['https://api.openai.com/v1', 'https://API.OpenAI.com/v1'],
		['https://api.openai.com/v1', 'HTTPS://api.openai.com/v1/'],
		['https://api.openai.com/v1', 'https://api.openai.com:443/v2'],
		['http://127.0.0.1:80', 'http://127.0.0.1/'],
		['https://api.openai.com:8443', 'https://api.openai.com:8443///'],
	])('of %s is kept under %s, which is the same origin', async (base_url, same) => {
		const { id } = await create({ base_url })
		const changed = await api('PATCH', `/v1/provider-keys/${id}`, { base_url: same })
		expect(changed.json).toMatchObject({ status: 'active', last4: 'side' })
	})

	it.each([
		['https://api.openai.com/v1', 'http://api.openai.com/v1'],
		['https://api.openai.com/v1', 'https://api.openai.com:8443/v1'],
		['https://api.openai.com/v1', 'https://api.openai.com./v1'],
		['https://api.openai.com/v1', 'https://api.openai.com.example.org/v1'],
		['https://api.openai.com/v1', 'https://openai.com/v1'],
	])('of %s is erased under %s', async (base_url, other) => {
		const { id } = await create({ base_url })
		const changed = await api('PATCH', `/v1/provider-keys/${id}`, { base_url: other })
		expect(changed.json).toMatchObject({ status: 'secret_missing', last4: null })
		const row = await store().db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
		expect(row?.sealed_key).toBeNull()
	})

	it.each(['openai', 'anthropic', 'openai_compatible'])(
		'is tested against the list of models of %s',
		async (provider) => {
			const { id } = await create({ provider })
			const answer = await test(id)
			expect(answer).toMatchObject({
				status: 200,
				json: { ok: true, status: 200, latency_ms: expect.any(Number) },
			})
			expect(answer.json.detail).toMatch(/^The provider takes the key and lists \d+ models\.$/)
			const { headers, path } = mock.requests.at(-1) as NonNullable<(typeof mock.requests)[0]>
			expect(path).toBe('/v1/models')
			expect(provider === 'anthropic' ? headers['x-api-key'] : headers.authorization).toContain(canary)
		},
	)

	it("a refusal is 200 with the provider's message, without any part of the key", async () => {
		const { id } = await create()
		const message = `Incorrect API key provided: ${canary}. Also sk-can**********side; see https://platform.example/keys. `
		refuseWith(401, JSON.stringify({ error: { message: message + 'x '.repeat(5000) } }))
		const { status, json } = await test(id)
		expect(status).toBe(200)
		expect(json).toMatchObject({ ok: false, status: 401 })
		expect(json.detail).toMatch(/^The provider refuses the key: Incorrect API key provided: \[redacted\]/)
		expect(json.detail).not.toMatch(/sk-can|side/)
		expect(json.detail.length).toBeLessThan(250)
	})

	it.each([
		[404, '{}', /no list of models/],
		[500, '<html>internal names</html>', /^The provider answers 500\.$/],
		[200, '{"hello":1}', /not with a list of models/],
		[200, 'not json', /not with a list of models/],
	])('an answer of %s %s is explained', async (status, body, detail) => {
		const { id } = await create()
		refuseWith(status, body)
		const { json } = await test(id)
		expect(json).toMatchObject({ ok: false, status })
		expect(json.detail).toMatch(detail)
		expect(json.detail).not.toContain('internal names')
	})

	it('a redirect is not followed: the key stays with its origin', async () => {
		const elsewhere = await startMockProvider()
		try {
			const { id } = await create()
			refuseWith(302, '', { location: `${elsewhere.url}/v1/models` })
			expect((await test(id)).json).toMatchObject({ ok: false, status: null })
			expect(elsewhere.requests).toHaveLength(0)
		} finally {
			await elsewhere.close()
		}
	})

	it('an unreachable provider is 200, too', async () => {
		const gone = await startMockProvider()
		const { id } = await create({ base_url: gone.url })
		await gone.close()
		const { status, json } = await test(id)
		expect(status).toBe(200)
		expect(json).toMatchObject({ ok: false, status: null, detail: expect.stringContaining('ECONNREFUSED') })
	})

	it('one that was erased cannot be tested', async () => {
		const { id } = await create()
		await api('PATCH', `/v1/provider-keys/${id}`, { base_url: 'https://api.openai.com' })
		expect(await test(id)).toMatchObject({ status: 403, json: { code: 'provider_key_missing' } })
		expect((await api('POST', '/v1/provider-keys/nobody/test')).status).toBe(404)
	})

	it('shows when it was last used, counting only calls with it', async () => {
		const [used, unused] = [await create(), await create()]
		const shown = async ({ id }: { id: string }) => (await api('GET', `/v1/provider-keys/${id}`)).json
		expect((await shown(used)).last_used_at).toBeNull()
		const chat = (name: string, headers: Record<string, string>) =>
			fetch(`${proxy.url}/proxy/${name}/v1/chat/completions`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'x-service-api-key': key, ...headers },
				body: JSON.stringify({ model: 'gpt-mock', messages: [] }),
			}).then((answer) => answer.text())
		await chat(unused.name, { authorization: 'Bearer sk-of-the-caller' })
		await chat(used.name, {})
		const usedAtMs = async () => Date.parse((await shown(used)).last_used_at ?? 0)
		await expect.poll(usedAtMs, { timeout: 10_000, interval: 100 }).toBeGreaterThan(Date.now() - 10_000)
		expect((await shown(unused)).last_used_at).toBeNull()
	})
})
