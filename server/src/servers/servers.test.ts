import { expect, it } from 'vitest'
import { describeWithStore } from '../platform/database/testing.ts'
import { newId } from '../platform/ids.ts'
import { openServersStage } from './stage.testing.ts'
import { closedAddress } from './testing.ts'

describeWithStore('MCP servers', (store) => {
	const stage = openServersStage(store)
	const { request, get, register, modern } = stage

	it('registers a running server, with its health and tools known at once', async () => {
		const made = await register({ name: 'Everything', description: 'All of it', url: stage.everything.url })
		expect(made).toMatchObject({
			name: 'Everything',
			slug: 'everything',
			description: 'All of it',
			endpoint_url: stage.everything.url,
			transport_type: 'http',
			hosting_mode: 'remote',
			status: 'active',
			health_status: 'healthy',
			configuration: {},
			agent_access: [],
		})
		expect(Date.parse(made.last_health_check)).toBeGreaterThan(Date.now() - 60_000)
		const { body } = await get(`/v1/mcp/servers/${made.id}/tools`)
		const echo = body.tools.find((tool: { name: string }) => tool.name === 'echo')
		expect(echo).toMatchObject({
			title: 'Echo Tool',
			input_schema: { type: 'object' },
			hash: expect.stringMatching(/^[0-9a-f]{64}$/),
		})
		expect(stage.app.servers.view.get(made.id)).toMatchObject({
			protocolVersion: '2025-11-25',
			healthStatus: 'healthy',
		})
		expect(stage.app.servers.view.find(stage.app.owner.workspaceId, 'everything')?.tools).toHaveLength(
			body.tools.length,
		)
	})

	it('answers GET with exactly the fields of the specification, and its grants', async () => {
		const { id } = await register({ name: 'Seed', url: stage.everything.url })
		const agents = await Promise.all(
			['a', 'b'].map((name) => stage.app.create('/v1/agents', { name: `seed ${name}` })),
		)
		await stage.app.create(`/v1/mcp/servers/${id}/access`, { agent_uuid: agents[0].id })
		await stage.app.create(`/v1/mcp/servers/${id}/access`, {
			agent_uuid: agents[1].id,
			access_mode: 'selected',
			allowed_tools: ['echo'],
		})
		await request('POST', `/v1/agents/${agents[1].id}/pause`)
		const { body } = await get(`/v1/mcp/servers/${id}`)
		for (const field of [
			'id',
			'name',
			'description',
			'endpoint_url',
			'transport_type',
			'hosting_mode',
			'status',
			'health_status',
			'last_health_check',
			'configuration',
			'created_at',
			'updated_at',
		])
			expect(body[field]).toBeDefined()
		expect(body.agent_access).toMatchObject([
			{
				id: expect.any(String),
				agent: { uuid: agents[0].id, name: 'seed a', status: 'active' },
				access_mode: 'all',
				allowed_tools: null,
				enabled: true,
			},
			{
				id: expect.any(String),
				agent: { uuid: agents[1].id, name: 'seed b', status: 'paused' },
				access_mode: 'selected',
				allowed_tools: ['echo'],
				enabled: true,
			},
		])
		const { key } = await stage.app.create('/v1/keys', { name: 'reader', scopes: ['servers:read'] })
		expect((await get(`/v1/mcp/servers/${id}`, key)).body).toEqual(body)
		expect((await stage.app.request('GET', `/v1/mcp/servers/${id}`)).status).toBe(401)
	})

	it('keeps what a map has under any key, and checks it', async () => {
		const named = { name: 'Keys', url: stage.everything.url, configuration: { 'two\nlines': 1 } }
		const { id, configuration } = await register(named)
		expect(configuration).toEqual(named.configuration)
		const refused = await request('PATCH', `/v1/mcp/servers/${id}`, { call_limits: { 'two\nlines': {} } })
		expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('call_limits')])
	})

	it('registers a server of 2026-07-28, and one that is down as unhealthy', async () => {
		const { id } = await register({ name: 'Modern', url: (await modern()).url })
		expect((await get(`/v1/mcp/servers/${id}/health`)).body).toMatchObject({
			status: 'healthy',
			protocol_version: '2026-07-28',
			error: null,
		})
		const down = await register({ name: 'Down', url: await closedAddress() })
		expect(down).toMatchObject({ status: 'active', health_status: 'unhealthy', transport_type: 'http' })
		expect(Date.parse(down.last_health_check)).toBeGreaterThan(0)
		const health = await get(`/v1/mcp/servers/${down.id}/health`)
		expect(health).toMatchObject({
			status: 200,
			body: { status: 'unhealthy', latency_ms: null, error: 'The connection was refused.' },
		})
		expect(await request('POST', `/v1/mcp/servers/${down.id}/tools/refresh`)).toMatchObject({
			status: 502,
			body: { code: 'upstream_unreachable' },
		})
	})

	it('refuses malformed URLs and those of internal networks, and registers none of them', async () => {
		const { total } = (await get('/v1/mcp/servers')).body.pagination
		const refusals: [object, number, string][] = [
			[{ url: 'not a url' }, 400, 'invalid_request'],
			[{ url: 'ftp://example.com/' }, 400, 'invalid_request'],
			[{ url: 'http://user:pass@example.com/' }, 400, 'invalid_request'],
			[{ url: 'http://169.254.169.254/latest' }, 403, 'blocked_address'],
			[{ url: 'http://10.0.0.1/mcp' }, 403, 'blocked_address'],
			[{ url: 'http://[::ffff:a00:1]/mcp' }, 403, 'blocked_address'],
			[{ url: stage.everything.url, headers: { Host: 'x' } }, 400, 'invalid_request'],
			[{ url: stage.everything.url, headers: { 'x-a': 'line\r\nbreak' } }, 400, 'invalid_request'],
			[{ url: stage.everything.url, headers: { 'x-a': '1', 'X-A': '2' } }, 400, 'invalid_request'],
			[{ url: stage.everything.url, headers: { 'bad name': '1' } }, 400, 'invalid_request'],
			[{ url: stage.everything.url, transport_type: 'stdio' }, 400, 'invalid_request'],
			[{ url: stage.everything.url, args: ['x'] }, 400, 'invalid_request'],
			[{ url: stage.everything.url, env: { A: 'x' } }, 400, 'invalid_request'],
			[{}, 400, 'invalid_request'],
		]
		for (const [body, status, code] of refusals)
			expect(await request('POST', '/v1/mcp/servers', { name: 'Bad', ...body })).toMatchObject({
				status,
				body: { code },
			})
		expect((await get('/v1/mcp/servers')).body.pagination.total).toBe(total)
	})

	it('filters by status, health and part of the name', async () => {
		const person = await stage.app.register()
		const url = await closedAddress()
		for (const name of ['One', 'Two']) await stage.app.create('/v1/mcp/servers', { name, url }, person.token)
		const { mcp_servers: servers, pagination } = (
			await get('/v1/mcp/servers?sort=name&order=asc&health_status=unhealthy', person.token)
		).body
		expect(pagination.total).toBe(2)
		expect(servers[0]).toMatchObject({ name: 'One', agent_access_count: 0 })
		await request('PATCH', `/v1/mcp/servers/${servers[0].id}`, { status: 'inactive' }, person.token)
		const names = async (query: string) =>
			(await get(`/v1/mcp/servers?${query}`, person.token)).body.mcp_servers.map(
				(server: { name: string }) => server.name,
			)
		expect([
			await names('status=inactive'),
			await names('q=tw'),
			await names('health_status=healthy'),
		]).toEqual([['One'], ['Two'], []])
		expect(stage.app.servers.view.get(servers[0].id)?.status).toBe('inactive')
	})

	it('hides the servers of other workspaces: every path responds as to an unknown id', async () => {
		const { id } = await register({ name: 'Private', url: stage.everything.url })
		const stranger = await stage.app.register()
		const paths = [
			['GET', ''],
			['PATCH', ''],
			['PUT', ''],
			['DELETE', '?force=true'],
			['GET', '/tools'],
			['POST', '/tools/refresh'],
			['GET', '/health'],
			['GET', '/access'],
			['POST', '/access'],
			['PATCH', '/access/x'],
			['DELETE', '/access/x'],
		]
		const bodies: Record<string, object> = {
			PATCH: { enabled: false },
			PUT: { name: 'x', url: stage.everything.url },
			POST: { agent_uuid: newId() },
		}
		for (const target of [id, newId(), 'not-an-id']) {
			for (const [method = '', path = ''] of paths) {
				const body =
					path === '/tools/refresh'
						? undefined
						: method === 'PATCH' && path === ''
							? { name: 'x' }
							: bodies[method]
				expect(await request(method, `/v1/mcp/servers/${target}${path}`, body, stranger.token)).toMatchObject(
					{ status: 404, body: { detail: 'There is no such MCP server.' } },
				)
			}
		}
		expect(stage.app.servers.view.find(stranger.workspaceId, id)).toBeUndefined()
		expect(stage.app.servers.view.find(stranger.workspaceId, 'private')).toBeUndefined()
		expect((await get('/v1/mcp/servers', stranger.token)).body.mcp_servers).toEqual([])
	})

	it('lets a viewer read and only an admin register', async () => {
		const [viewer, member] = [await stage.app.memberOf('viewer'), await stage.app.memberOf('member')]
		expect((await get('/v1/mcp/servers', viewer.token)).status).toBe(200)
		for (const { token } of [viewer, member])
			expect(
				(await request('POST', '/v1/mcp/servers', { name: 'No', url: stage.everything.url }, token)).body
					.code,
			).toBe('forbidden')
	})
})
