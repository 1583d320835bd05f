import { installTargets, tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { newId } from '../../platform/ids.ts'
import { type ControlPlane, startControlPlane } from '../grants/testing.ts'

describeOnBothDatabases('agents', (store) => {
	let app: ControlPlane
	beforeAll(async () => {
		app = await startControlPlane(store())
	})
	afterAll(() => app.close())

	const post = (path: string, body?: object, token = app.owner.token) =>
		app.request('POST', path, { token, ...(body && { body }) })
	const get = (path: string, token = app.owner.token) => app.request('GET', path, { token })

	/** The principal that the ingress finds for this key. */
	const principalOf = async (key: string) => {
		const request = { rawHeaders: ['authorization', `Bearer ${key}`], headers: {}, socket: {} }
		try {
			return await app.identity.authenticate(
				request as never,
				{ family: 'mcp', access: { kinds: ['agent_key'] } } as never,
				'127.0.0.1',
			)
		} catch {
			return null
		}
	}

	it('creates an agent that is active and reads it back', async () => {
		const made = await post('/v1/agents', { name: 'Reporter', description: 'writes' })
		expect(made.status).toBe(201)
		expect(made.body).toMatchObject({
			name: 'Reporter',
			description: 'writes',
			status: 'active',
			mcp_server_count: 0,
			last_seen_at: null,
		})
		expect(made.body.uuid).toBe(made.body.id)
		const { body } = await get(`/v1/agents/${made.body.id}`)
		expect(body).toEqual(made.body)
	})

	it('refuses a name of blanks alone, which nobody could see', async () => {
		const { id } = await app.create('/v1/agents', { name: ' Blanks around ' })
		for (const name of ['', ' ', '\t\n', '\u00a0\u2003']) {
			const made = await post('/v1/agents', { name })
			expect(made).toMatchObject({ status: 400, body: { errors: [{ pointer: '/name' }] } })
			if (name !== '') expect(made.body.detail).toBe('body/name: must not be blank.')
			const token = app.owner.token
			expect((await app.request('PATCH', `/v1/agents/${id}`, { token, body: { name } })).status).toBe(400)
		}
	})

	it('refuses a second agent of the same name, also by a rename', async () => {
		await app.create('/v1/agents', { name: 'Twin' })
		const other = await app.create('/v1/agents', { name: 'Other' })
		expect(await post('/v1/agents', { name: 'Twin' })).toMatchObject({
			status: 409,
			body: { code: 'name_taken' },
		})
		const renamed = await app.request('PATCH', `/v1/agents/${other.id}`, {
			token: app.owner.token,
			body: { name: 'Twin' },
		})
		expect(renamed).toMatchObject({ status: 409, body: { code: 'name_taken' } })
	})

	it('lists by both paths alike, in pages, sorted, filtered by status and name', async () => {
		const person = await app.register()
		for (const name of ['Ada', 'Bob', 'Cy 100%', 'Cy_1'])
			await app.create('/v1/agents', { name }, person.token)
		const names = async (path: string) =>
			(await get(path, person.token)).body.agents.map((agent: { name: string }) => agent.name)
		const first = await get('/agent/list?limit=3&sort=name&order=asc', person.token)
		expect(first.body.pagination).toEqual({ page: 1, limit: 3, total: 4, total_pages: 2 })
		expect(first.body).toEqual((await get('/v1/agents?limit=3&sort=name&order=asc', person.token)).body)
		expect(await names('/agent/list?limit=3&page=2&sort=name&order=asc')).toEqual(['Cy_1'])
		expect(await names('/agent/list')).toEqual(['Cy_1', 'Cy 100%', 'Bob', 'Ada'])
		expect(await names('/agent/list?q=0%25')).toEqual(['Cy 100%'])
		expect(await names('/agent/list?q=Y_')).toEqual(['Cy_1'])
		await app.create('/v1/agents', { name: 'Ärzte' }, person.token)
		for (const q of ['Ärzte', 'ärz', 'ÄRZTE'])
			expect(await names(`/agent/list?q=${encodeURIComponent(q)}`)).toEqual(['Ärzte'])
		expect(await names('/agent/list?status=paused')).toEqual([])
		for (const query of [
			'limit=0',
			'limit=101',
			'page=0',
			'page=10162999118630070970919449264128',
			'sort=secret',
			'order=up',
			'nosuch=1',
			'status=broken',
		])
			expect((await get(`/agent/list?${query}`, person.token)).status).toBe(400)
	})

	it('answers /agent/list to a platform key in any of the three headers', async () => {
		const { key } = await app.create('/v1/keys', { name: 'ci', scopes: ['agents:read'] })
		for (const headers of [
			{ 'x-service-api-key': key },
			{ authorization: `Bearer ${key}` },
			{ 'x-api-key': key },
		]) {
			expect(
				(await app.request('GET', '/agent/list', { headers: headers as Record<string, string> })).status,
			).toBe(200)
		}
		expect((await app.request('GET', '/agent/list')).status).toBe(401)
	})

	it('moves an agent between states and refuses every other move by its name', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Mover' })
		const move = async (verb: string) => (await post(`/v1/agents/${id}/${verb}`)).body
		expect(await move('resume')).toMatchObject({
			code: 'conflict',
			detail: 'The agent is active; resume needs it to be paused.',
		})
		expect(await move('pause')).toMatchObject({ status: 'paused' })
		expect(app.agents.view.get(id)?.status).toBe('paused')
		expect(await move('pause')).toMatchObject({ code: 'conflict' })
		expect(await move('start')).toMatchObject({ code: 'conflict' })
		expect(await move('resume')).toMatchObject({ status: 'active' })
		expect(await move('stop')).toMatchObject({ status: 'stopped' })
		expect(await move('pause')).toMatchObject({ code: 'conflict' })
		expect(await move('start')).toMatchObject({ status: 'active' })
		expect(app.agents.view.get(id)?.status).toBe('active')
	})

	it('accepts what GET returned, and refuses a changed read-only field', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Round' })
		const { body } = await get(`/v1/agents/${id}`)
		const patch = (change: object) =>
			app.request('PATCH', `/v1/agents/${id}`, { token: app.owner.token, body: change })
		expect(await patch({ ...body, description: 'new' })).toMatchObject({
			status: 200,
			body: { description: 'new', name: 'Round' },
		})
		for (const change of [
			{ id: newId() },
			{ status: 'paused' },
			{ mcp_server_count: 7 },
			{ created_at: '2020-01-01T00:00:00.000Z' },
		]) {
			const refused = await patch(change)
			expect(refused).toMatchObject({
				status: 400,
				body: { errors: [{ pointer: `/${Object.keys(change)[0]}` }] },
			})
		}
		expect((await patch({})).status).toBe(400)
		expect((await patch({ no_such_field: 'x' })).status).toBe(400)
	})

	it('keeps groups and model access, and finds agents by a group', async () => {
		const model_access = { mode: 'selected', connections: [{ name: 'openai', models: ['gpt-*'] }] }
		const made = await app.create('/v1/agents', { name: 'Grouped', groups: ['b', 'a'], model_access })
		expect(made).toMatchObject({ groups: ['a', 'b'], model_access })
		expect(app.agents.view.get(made.id)?.modelAccess).toEqual({
			mode: 'selected',
			connections: new Map([['openai', ['gpt-*']]]),
		})
		const found = async (query: string) => (await get(`/v1/agents?${query}`)).body.agents
		expect(await found('group=a')).toEqual([made])
		expect(await found('group=c')).toEqual([])
		const patch = (change: object) =>
			app.request('PATCH', `/v1/agents/${made.id}`, { token: app.owner.token, body: change })
		expect((await patch(made)).status).toBe(200)
		expect((await patch({ groups: [], model_access: { mode: 'all' } })).body).toMatchObject({
			groups: [],
			model_access: { mode: 'all' },
		})
		expect(await found('group=a')).toEqual([])
		for (const change of [
			{ groups: ['Not a slug'] },
			{ groups: ['a', 'a'] },
			{ groups: 'a' },
			{ model_access: { mode: 'some' } },
			{ model_access: { mode: 'all', connections: [] } },
			{
				model_access: {
					...model_access,
					connections: [...model_access.connections, ...model_access.connections],
				},
			},
		])
			expect((await patch(change)).status).toBe(400)
	})

	it('has complete configuration for each client, with a placeholder for the key', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Installed' })
		const { body } = await get(`/v1/agents/${id}/install`)
		expect(body.url).toBe(`${app.url}/mcp-key`)
		expect(body.clients.map(({ client }: { client: string }) => client)).toEqual(installTargets)
		const server = await app.create('/v1/mcp/servers', { name: 'For install', url: 'http://127.0.0.1:1/mcp' })
		for (const reference of [server.id, 'for-install'])
			expect((await get(`/v1/agents/${id}/install?server=${reference}`)).body.url).toBe(
				`${app.url}/mcp-key/for-install`,
			)
		expect((await get(`/v1/agents/${id}/install?server=none`)).status).toBe(404)
		expect((await get(`/v1/agents/${newId()}/install`)).status).toBe(404)
	})

	it('makes a key that acts as the agent and shows its secret once', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Keyed' })
		const made = await post(`/v1/agents/${id}/keys`, { name: 'laptop' })
		expect(made.status).toBe(201)
		expect(made.body).toMatchObject({
			agent_uuid: id,
			status: 'active',
			scopes: ['mcp:invoke', 'proxy:invoke'],
		})
		expect(made.body.key).toMatch(new RegExp(`^${tokenPrefixes.key}[0-9A-Za-z]{49}$`))
		expect((await get(`/v1/keys?agent_uuid=${id}`)).text).not.toContain(made.body.key)
		expect((await post(`/v1/agents/${newId()}/keys`, { name: 'x' })).status).toBe(404)
		await app.create('/v1/keys', { name: 'of nobody' })
		const { key: _secret, ...shown } = made.body
		const listed = await get(`/v1/agents/${id}/keys?status=active`)
		expect(listed.body).toEqual({
			keys: [shown],
			pagination: { page: 1, limit: 20, total: 1, total_pages: 1 },
		})
		expect((await get(`/v1/agents/${newId()}/keys`)).status).toBe(404)
	})

	it('deletes an agent with its keys and grants', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Doomed' })
		const server = await app.create('/v1/mcp/servers', {
			name: 'For the doomed',
			url: 'http://127.0.0.1:1/mcp',
		})
		await app.create(`/v1/mcp/servers/${server.id}/access`, { agent_uuid: id })
		const { key } = (await post(`/v1/agents/${id}/keys`, { name: 'k' })).body
		expect(app.grants.view.of(id, server.id)).toHaveLength(1)
		expect(await principalOf(key)).toMatchObject({ kind: 'agent_key', agentId: id })
		expect((await get(`/v1/agents/${id}`)).body.mcp_server_count).toBe(1)
		expect((await app.request('DELETE', `/v1/agents/${id}`, { token: app.owner.token })).status).toBe(204)
		expect((await get(`/v1/agents/${id}`)).status).toBe(404)
		expect(app.agents.view.get(id)).toBeUndefined()
		expect(app.grants.view.of(id, server.id)).toEqual([])
		expect((await get(`/v1/mcp/servers/${server.id}`)).body.agent_access).toEqual([])
		expect(await principalOf(key)).toBeNull()
	})

	it('records when an agent was last seen, without a write for each call', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Seen' })
		for (let call = 0; call < 100; call += 1) app.agents.noteSeen(id)
		expect((await get(`/v1/agents/${id}`)).body.last_seen_at).toBeNull()
		await app.agents.close()
		expect(Date.parse((await get(`/v1/agents/${id}`)).body.last_seen_at)).toBeGreaterThan(Date.now() - 60_000)
	})

	it('hides the agents of other workspaces: every path answers like an unknown id', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Hidden' })
		const stranger = await app.register()
		const paths = [
			['GET', ''],
			['PATCH', ''],
			['DELETE', ''],
			['POST', '/pause'],
			['POST', '/resume'],
			['POST', '/stop'],
			['POST', '/start'],
			['POST', '/keys'],
			['GET', '/access'],
			['GET', '/install'],
		]
		const bodies: Record<string, object> = { PATCH: { name: 'x' }, '/keys': { name: 'x' } }
		for (const target of [id, newId(), 'not-an-id']) {
			for (const [method = '', path = ''] of paths) {
				const body = bodies[path] ?? bodies[method]
				const answer = await app.request(method, `/v1/agents/${target}${path}`, {
					token: stranger.token,
					...(body && { body }),
				})
				expect(answer).toMatchObject({
					status: 404,
					body: { code: 'not_found', detail: 'There is no such agent.' },
				})
			}
		}
		expect((await get('/agent/list', stranger.token)).body.agents).toEqual([])
	})

	it('lets a viewer read and a member write, and only an admin delete', async () => {
		const { id } = await app.create('/v1/agents', { name: 'Ruled' })
		const [viewer, member] = [await app.memberOf('viewer'), await app.memberOf('member')]
		expect((await get(`/v1/agents/${id}`, viewer.token)).status).toBe(200)
		expect((await post('/v1/agents', { name: 'No' }, viewer.token)).body.code).toBe('forbidden')
		expect((await post(`/v1/agents/${id}/pause`, undefined, member.token)).status).toBe(200)
		expect((await app.request('DELETE', `/v1/agents/${id}`, { token: member.token })).status).toBe(403)
		expect((await post(`/v1/agents/${id}/keys`, { name: 'No' }, member.token)).status).toBe(403)
	})

	it('writes every change into the audit log', async () => {
		const person = await app.register()
		const { id } = await app.create('/v1/agents', { name: 'Audited' }, person.token)
		await post(`/v1/agents/${id}/pause`, undefined, person.token)
		const call_limits = { calls_per_minute: 30, concurrency: null }
		const change = { name: 'Renamed', description: 'new', groups: ['a'], call_limits, tool_listing: 'search' }
		await app.request('PATCH', `/v1/agents/${id}`, { token: person.token, body: change })
		await app.request('DELETE', `/v1/agents/${id}`, { token: person.token })
		const { audit } = (await get('/v1/audit?limit=4', person.token)).body
		const actions = audit.map((record: { action: string }) => record.action)
		expect(actions).toEqual(['agents.delete', 'agents.update', 'agents.pause', 'agents.create'])
		expect(audit[1].detail).toEqual({ ...change, status: 'paused', model_access: { mode: 'all' } })
	})
})
