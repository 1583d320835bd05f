import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { type ProxyUnderTest, startProxy } from './testing/start-proxy.ts'

const settings = {
	'/v1/routes': { name: 'way', targets: [{ connection: 'gpt', for_models: ['gpt-*'] }], retries: 2 },
	'/v1/hooks': { name: 'Guard', action: 'deny', pattern: 'x', stages: ['request'], models: ['gpt-*'] },
	'/v1/model-limits': { name: 'Calls', scope: 'agent', concurrency: 3 },
}

describeOnBothDatabases('what governs model calls', (store) => {
	let proxy: ProxyUnderTest
	let key: string
	let theirs: string
	beforeAll(async () => {
		proxy = await startProxy(store())
		key = (await proxy.addKey(await proxy.addWorkspace())).secret
		theirs = (await proxy.addKey(await proxy.addWorkspace())).secret
	})
	afterAll(() => proxy?.close())

	it.each(Object.entries(settings))('%s is stored, and invisible to other workspaces', async (path, body) => {
		const { json, status } = await proxy.api(key, 'POST', path, body)
		expect([status, json]).toEqual([201, expect.objectContaining({ name: body.name })])
		const at = `${path}/${json.id}`
		expect((await proxy.api(key, 'GET', at)).json).toEqual(json)
		for (const method of ['GET', 'DELETE']) expect((await proxy.api(theirs, method, at)).status).toBe(404)
		expect((await proxy.api(key, 'PATCH', at, json)).status).toBe(200)
		expect((await proxy.api(key, 'GET', path)).json.pagination.total).toBe(1)
		expect((await proxy.api(theirs, 'GET', path)).json.pagination.total).toBe(0)
		expect((await proxy.api(key, 'DELETE', at)).status).toBe(204)
	})

	it('a connection and a route that are created at once do not both get the name', async () => {
		const connection = { provider: 'openai', key: 'sk-test' }
		const route = { targets: [{ connection: 'gpt' }] }
		for (let round = 0; round < 5; round += 1) {
			const name = `shared-${round}`
			const answers = await Promise.all([
				...[1, 2, 3].map(() => proxy.api(key, 'POST', '/v1/provider-keys', { name, ...connection })),
				...[1, 2, 3].map(() => proxy.api(key, 'POST', '/v1/routes', { name, ...route })),
			])
			expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
			const made = answers.find(({ status }) => status === 201)
			for (const path of ['/v1/provider-keys', '/v1/routes'])
				await proxy.api(key, 'DELETE', `${path}/${made?.json.id}`)
		}
	})

	it('hooks that are created at once are together no more than a workspace may have', async () => {
		const answers = await Promise.all(
			Array.from({ length: 25 }, (_, n) =>
				proxy.api(key, 'POST', '/v1/hooks', { ...settings['/v1/hooks'], name: `Guard ${n}` }),
			),
		)
		expect(answers.map(({ status }) => status).toSorted()).toEqual([
			...Array(20).fill(201),
			...Array(5).fill(409),
		])
		expect(answers.find(({ status }) => status === 409)?.json.detail).toBe(
			'A workspace has at most 20 hooks.',
		)
		for (const { json } of answers) if (json.id) await proxy.api(key, 'DELETE', `/v1/hooks/${json.id}`)
	})

	it('the record of a change of a route has no warnings, which a client may send back as it likes', async () => {
		const { json } = await proxy.api(key, 'POST', '/v1/routes', { ...settings['/v1/routes'], name: 'noted' })
		await proxy.api(key, 'PATCH', `/v1/routes/${json.id}`, { retries: 1, warnings: ['invented'] })
		const query = store().db.selectFrom('audit_log').select('detail')
		const { detail } = await query
			.where('action', '=', 'routes.update')
			.where('target_id', '=', json.id)
			.executeTakeFirstOrThrow()
		expect(JSON.parse(detail)).toEqual({ retries: 1 })
	})

	it('a name that is taken in the same workspace is refused', async () => {
		for (const path of ['/v1/routes', '/v1/hooks'] as const) {
			const statuses = []
			for (const by of [key, key, theirs])
				statuses.push((await proxy.api(by, 'POST', path, settings[path])).status)
			expect(statuses).toEqual([201, 409, 201])
		}
	})

	it('a key stores what happens to calls whose client disconnects', async () => {
		const made = await proxy.api(key, 'POST', '/v1/keys', { name: 'k', on_disconnect: 'detach' })
		const at = `/v1/keys/${made.json.id}`
		expect((await proxy.api(key, 'GET', at)).json.on_disconnect).toBe('detach')
		const changed = await proxy.api(key, 'PATCH', at, { on_disconnect: 'abort' })
		expect(changed.json.on_disconnect).toBe('abort')
	})
})
