import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { type ProxyUnderTest, startProxy } from '../testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from '../testing.ts'

const canary = 'sk-canary-8f3b1c77-do-not-show'

describeOnBothDatabases('connections', (store) => {
	let proxy: ProxyUnderTest
	let mock: MockProvider
	let key: string
	let foreignKey: string
	let readerKey: string

	beforeAll(async () => {
		mock = await startMockProvider()
		proxy = await startProxy(store())
		const workspaceId = await proxy.addWorkspace()
		key = (await proxy.addKey(workspaceId)).secret
		readerKey = (await proxy.addKey(workspaceId, ['provider-keys:read'])).secret
		foreignKey = (await proxy.addKey(await proxy.addWorkspace())).secret
	})
	afterAll(async () => {
		await proxy?.close()
		await mock?.close()
	})

	const path = '/v1/provider-keys'
	const create = (body: object, by = key) => proxy.api(by, 'POST', path, body)
	const chat = (name: string, by = key) =>
		proxy.api(by, 'POST', `/proxy/${name}/v1/chat/completions`, { model: 'gpt-mock', messages: [] })
	const listed = async (name: string) => {
		const { json } = await proxy.api(key, 'GET', `${path}?limit=100`)
		return json.provider_keys.find((one: { name: string }) => one.name === name)
	}

	it('a created connection is listed without its key and works at once', async () => {
		const made = await create({ name: 'main', provider: 'openai', key: canary, base_url: `${mock.url}/v1/` })
		expect(made.status).toBe(201)
		expect(made.json).toMatchObject({
			name: 'main',
			provider: 'openai',
			base_url: `${mock.url}/v1`,
			last4: 'show',
			status: 'active',
		})
		expect(await listed('main')).toEqual(made.json)
		expect((await chat('main')).status).toBe(200)
		expect(mock.requests.at(-1)).toMatchObject({
			path: '/v1/chat/completions',
			headers: { authorization: `Bearer ${canary}` },
		})
	})

	it('openai and anthropic have default base URLs; openai_compatible needs one', async () => {
		const openai = await create({ name: 'public-openai', provider: 'openai', key: canary })
		expect(openai.json.base_url).toBe('https://api.openai.com/v1')
		const anthropic = await create({ name: 'public-anthropic', provider: 'anthropic', key: canary })
		expect(anthropic.json.base_url).toBe('https://api.anthropic.com')
		const bare = await create({ name: 'bare', provider: 'openai_compatible', key: canary })
		expect(bare.status).toBe(400)
		expect(bare.json.errors[0].pointer).toBe('/base_url')
	})

	it('whose prices apply is known from the host, and a setting goes before that', async () => {
		const make = (name: string, base_url: string, more = {}) =>
			create({ name, provider: 'openai_compatible', key: canary, base_url, ...more })
		const groq = await make('by-host', 'https://api.groq.com/openai/v1')
		expect(groq.json).toMatchObject({ provider: 'openai_compatible', priced_as: null, vendor: 'groq' })
		expect((await make('below-host', 'https://eu.openrouter.ai/api/v1')).json.vendor).toBe('openrouter')
		expect((await make('unknown-host', 'https://notapi.groq.com.example/v1')).json.vendor).toBe(
			'openai_compatible',
		)
		expect((await make('set', 'https://llm.example/v1', { priced_as: 'x_ai' })).json).toMatchObject({
			...{ priced_as: 'x_ai', vendor: 'x_ai' },
		})
		const change = (body: object) => proxy.api(key, 'PATCH', `${path}/${groq.json.id}`, body)
		expect((await change({ priced_as: 'openai_compatible' })).json.vendor).toBe('openai_compatible')
		expect((await change({ priced_as: null })).json).toMatchObject({ priced_as: null, vendor: 'groq' })
		expect((await change({ priced_as: 'nobody' })).status).toBe(400)
		const anthropic = await create({
			...{ name: 'other-dialect', provider: 'anthropic', key: canary },
			base_url: 'https://api.deepseek.com/anthropic',
		})
		expect(anthropic.json.vendor).toBe('deepseek')
		for (const { json } of [groq, anthropic]) await proxy.api(key, 'DELETE', `${path}/${json.id}`)
		for (const name of ['below-host', 'unknown-host', 'set'])
			await proxy.api(key, 'DELETE', `${path}/${(await listed(name)).id}`)
	})

	it('a name is unique in its workspace, and free in another', async () => {
		const body = { name: 'main', provider: 'openai', key: canary, base_url: mock.url }
		expect(await create(body)).toMatchObject({ status: 409, json: { code: 'name_taken' } })
		expect((await create(body, foreignKey)).status).toBe(201)
	})

	it.each([
		'ftp://example.org',
		'http://user:secret@example.org',
		'https://example.org/v1?x=1',
		'https://example.org/#x',
		'not a url',
	])('the base URL %s is refused', async (base_url) => {
		const refused = await create({ name: 'bad-url', provider: 'openai', key: canary, base_url })
		expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
	})

	it('a connection can be sent back as it was returned, and a changed read-only field is refused', async () => {
		const { json } = await create({ name: 'back', provider: 'openai', key: canary, base_url: mock.url })
		const change = (body: object) => proxy.api(key, 'PATCH', `${path}/${json.id}`, body)
		const sent = await change({ ...json, inject_usage: true })
		expect(sent).toMatchObject({
			status: 200,
			json: { ...json, inject_usage: true, updated_at: expect.any(String) },
		})
		for (const [name, value] of Object.entries({
			name: 'other',
			provider: 'anthropic',
			last4: '0000',
			status: 'secret_missing',
		}))
			expect(await change({ [name]: value })).toMatchObject({
				status: 400,
				json: { errors: [{ pointer: `/${name}` }] },
			})
		await proxy.api(key, 'DELETE', `${path}/${json.id}`)
	})

	it('an address in a private network is refused', async () => {
		for (const base_url of ['http://10.1.2.3/v1', 'http://169.254.169.254']) {
			const refused = await create({ name: 'inside', provider: 'openai', key: canary, base_url })
			expect(refused).toMatchObject({ status: 403, json: { code: 'blocked_address' } })
		}
	})

	it('another origin erases the key unless a new one is given; another path keeps it', async () => {
		const { json } = await create({ name: 'moving', provider: 'openai', key: canary, base_url: mock.url })
		const change = (body: object) => proxy.api(key, 'PATCH', `${path}/${json.id}`, body)
		expect((await change({ base_url: `${mock.url}/v1` })).json).toMatchObject({
			status: 'active',
			last4: 'show',
		})
		expect((await chat('moving')).status).toBe(200)
		const port = new URL(mock.url).port
		const moved = await change({ base_url: `http://localhost:${port}` })
		expect(moved.json).toMatchObject({
			status: 'secret_missing',
			last4: null,
			base_url: `http://localhost:${port}`,
		})
		expect(await chat('moving')).toMatchObject({
			status: 403,
			json: { error: { code: 'provider_key_missing' } },
		})
		const again = await change({ base_url: `${mock.url}/v1`, key: 'sk-another-key-2' })
		expect(again.json).toMatchObject({ status: 'active', last4: 'ey-2' })
		expect((await chat('moving')).status).toBe(200)
		expect(mock.requests.at(-1)?.headers.authorization).toBe('Bearer sk-another-key-2')
		expect((await change({})).status).toBe(400)
	})

	it('a deleted connection is gone at once', async () => {
		const { json } = await create({
			name: 'short-lived',
			provider: 'openai',
			key: canary,
			base_url: mock.url,
		})
		expect((await chat('short-lived')).status).toBe(200)
		expect((await proxy.api(key, 'DELETE', `${path}/${json.id}`)).status).toBe(204)
		expect((await chat('short-lived')).status).toBe(404)
		expect((await proxy.api(key, 'DELETE', `${path}/${json.id}`)).status).toBe(404)
	})

	it('another workspace cannot see, use, change or delete it', async () => {
		const { json } = await create({ name: 'ours-alone', provider: 'openai', key: canary, base_url: mock.url })
		expect((await proxy.api(foreignKey, 'GET', path)).text).not.toContain('ours-alone')
		expect((await chat('ours-alone', foreignKey)).status).toBe(404)
		expect((await proxy.api(foreignKey, 'PATCH', `${path}/${json.id}`, { key: 'sk-x' })).status).toBe(404)
		expect((await proxy.api(foreignKey, 'DELETE', `${path}/${json.id}`)).status).toBe(404)
		expect((await proxy.api(foreignKey, 'DELETE', `${path}/no-such-id`)).status).toBe(404)
		expect((await chat('ours-alone')).status).toBe(200)
	})

	it('a key without the write scope reads only', async () => {
		expect((await proxy.api(readerKey, 'GET', path)).status).toBe(200)
		const body = { name: 'nope', provider: 'openai', key: canary, base_url: mock.url }
		expect(await create(body, readerKey)).toMatchObject({ status: 403, json: { code: 'forbidden' } })
	})

	it('the list is paged in a stable order', async () => {
		const first = await proxy.api(key, 'GET', `${path}?limit=2&page=1&order=asc`)
		const second = await proxy.api(key, 'GET', `${path}?limit=2&page=2&order=asc`)
		expect(first.json.provider_keys.map((one: { name: string }) => one.name)).toEqual([
			'main',
			'public-openai',
		])
		expect(second.json.provider_keys).toHaveLength(2)
		expect(first.json.pagination).toMatchObject({ page: 1, limit: 2, total: 5, total_pages: 3 })
	})

	it('the provider key is in no row, no audit record and no recorded call', async () => {
		const rows = await store().db.selectFrom('connections').selectAll().execute()
		const records = await store().db.selectFrom('audit_log').selectAll().execute()
		expect(records.map((one) => one.action)).toContain('provider-keys.update')
		const written = JSON.stringify([rows, records]) + proxy.shipped()
		expect(written).not.toContain(canary)
		expect(written).not.toContain('sk-another-key-2')
	})
})
