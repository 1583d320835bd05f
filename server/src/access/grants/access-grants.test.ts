import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { newId } from '../../platform/ids.ts'
import { closedAddress, type ModernTestServer, startModernServer } from '../../servers/testing.ts'
import { type ControlPlane, startControlPlane } from './testing.ts'

describeOnBothDatabases('access grants', (store) => {
	let app: ControlPlane
	let upstream: ModernTestServer
	let serverId = ''
	let names = 0
	beforeAll(async () => {
		upstream = await startModernServer()
		app = await startControlPlane(store())
		serverId = (await app.create('/v1/mcp/servers', { name: 'Tools', url: upstream.url })).id
	})
	afterAll(async () => {
		await app.close()
		await upstream.close()
	})

	const request = (method: string, path: string, body?: object, token = app.owner.token) =>
		app.request(method, path, { token, ...(body && { body }) })
	const newAgent = async (): Promise<string> => {
		names += 1
		return (await app.create('/v1/agents', { name: `agent ${names}` })).id
	}
	const grant = (agentId: string, terms: object = {}) =>
		request('POST', `/v1/mcp/servers/${serverId}/access`, { agent_uuid: agentId, ...terms })
	const patch = (agentId: string, change: object) =>
		request('PATCH', `/v1/mcp/servers/${serverId}/access/${agentId}`, change)

	it.each([
		[{}, { access_mode: 'all', allowed_tools: null, enabled: true }],
		[{ access_mode: 'all' }, { access_mode: 'all', allowed_tools: null, enabled: true }],
		[
			{ access_mode: 'all', allowed_tools: null },
			{ access_mode: 'all', allowed_tools: null },
		],
		[{ access_mode: 'selected' }, { access_mode: 'selected', allowed_tools: [] }],
		[
			{ access_mode: 'selected', allowed_tools: ['echo', 'later'] },
			{ access_mode: 'selected', allowed_tools: ['echo', 'later'] },
		],
		[{ allowed_tools: ['echo'] }, { access_mode: 'selected', allowed_tools: ['echo'] }],
		[{ enabled: false }, { enabled: false }],
	])('grants %j', async (terms, expected) => {
		const agentId = await newAgent()
		const made = await grant(agentId, terms)
		expect(made).toMatchObject({
			status: 201,
			body: { server_id: serverId, agent_uuid: agentId, ...expected },
		})
		const { body } = await request('GET', `/v1/mcp/servers/${serverId}/access`)
		expect(body.access.find((entry: { id: string }) => entry.id === made.body.id)).toMatchObject({
			agent: { uuid: agentId, status: 'active' },
			...expected,
		})
	})

	it('accepts `agent` and `agent_uuid` for the same, and refuses different ones', async () => {
		const [agentId, other] = [await newAgent(), await newAgent()]
		const create = (names: object) => request('POST', `/v1/mcp/servers/${serverId}/access`, names)
		const both = await create({ agent: other, agent_uuid: agentId })
		expect(both).toMatchObject({
			status: 400,
			body: { code: 'invalid_request', errors: [{ pointer: '/agent' }] },
		})
		expect(both.body.detail).toContain('another agent than `agent_uuid`')
		expect(await create({ agent: agentId })).toMatchObject({ status: 201, body: { agent_uuid: agentId } })
		expect(await create({ agent: other, agent_uuid: other })).toMatchObject({ status: 201 })
		expect((await create({ agent: { uuid: agentId } })).body.detail).toBe('body/agent_uuid: is required.')
		const listed = await request('GET', `/v1/keys?agent=${agentId}&agent_uuid=${other}`)
		expect([listed.status, listed.body.detail]).toEqual([
			400,
			both.body.detail.replace('body/agent:', 'query parameter agent'),
		])
	})

	it.each([
		{ access_mode: 'all', allowed_tools: [] },
		{ access_mode: 'all', allowed_tools: ['echo'] },
		{ access_mode: 'selected', allowed_tools: null },
		{ access_mode: 'some' },
		{ access_mode: 'selected', allowed_tools: ['echo', 'echo'] },
		{ allowed_tools: [''] },
		{ allowed_tools: 'echo' },
		{ enabled: 'yes' },
		{ role: 'x' },
	])('refuses the terms %j', async (terms) => {
		expect(await grant(await newAgent(), terms)).toMatchObject({
			status: 400,
			body: { code: 'invalid_request' },
		})
	})

	it('warns at once of names in a grant that the server does not have, and of a grant without effect', async () => {
		const agentId = await newAgent()
		const path = `/v1/mcp/servers/${serverId}/access/${agentId}`
		const made = await grant(agentId, { allowed_tools: ['echo', 'ecko'], approval: { lost: 'ask' } })
		const warnings = [
			'allowed_tools: the server Tools has no tool ecko.',
			'approval: the server Tools has no tool lost.',
		]
		expect(made).toMatchObject({ status: 201, body: { warnings } })
		expect((await request('GET', path)).body).toMatchObject({ warnings })
		const sentBack = { ...made.body, allowed_tools: ['echo'], approval: {} }
		expect(await patch(agentId, sentBack)).toMatchObject({ status: 200, body: { warnings: [] } })
		const nothing =
			'The grant names nothing, so it opens nothing of the server Tools: name tools in allowed_tools.'
		expect((await patch(agentId, { allowed_tools: [] })).body.warnings).toEqual([nothing])
		expect((await patch(agentId, { access_mode: 'all' })).body.warnings).toEqual([])
		const away = await app.create('/v1/mcp/servers', { name: `Away ${agentId}`, url: await closedAddress() })
		const unchecked = await app.create(`/v1/mcp/servers/${away.id}/access`, {
			agent_uuid: agentId,
			allowed_tools: ['a'],
		})
		expect(unchecked.warnings).toEqual([
			`allowed_tools: the tools of the server Away ${agentId} are not all known yet (The connection was refused.), so a could not be checked.`,
		])
	})

	it('refuses a second grant for the same pair', async () => {
		const agentId = await newAgent()
		await grant(agentId)
		expect(await grant(agentId, { enabled: false })).toMatchObject({
			status: 409,
			body: { code: 'conflict' },
		})
	})

	it('changes a grant, in the view before it answers', async () => {
		const agentId = await newAgent()
		await grant(agentId)
		expect((await patch(agentId, { access_mode: 'selected' })).body).toMatchObject({
			access_mode: 'selected',
			allowed_tools: [],
		})
		expect((await patch(agentId, { allowed_tools: ['echo'] })).body).toMatchObject({
			allowed_tools: ['echo'],
		})
		expect(app.grants.view.of(agentId, serverId)[0]?.allowedTools).toEqual(new Set(['echo']))
		expect((await patch(agentId, { enabled: false })).body).toMatchObject({
			access_mode: 'selected',
			allowed_tools: ['echo'],
			enabled: false,
		})
		expect(app.grants.view.of(agentId, serverId)[0]?.enabled).toBe(false)
		expect((await patch(agentId, { allowed_tools: null })).status).toBe(400)
		expect((await patch(agentId, { access_mode: 'all', allowed_tools: ['echo'] })).status).toBe(400)
		const widened = await patch(agentId, { access_mode: 'all', enabled: true })
		expect(widened.body).toMatchObject({ access_mode: 'all', allowed_tools: null, enabled: true })
		expect(await patch(agentId, widened.body)).toMatchObject({ status: 200 })
		expect(await patch(agentId, { server_id: newId() })).toMatchObject({ status: 400 })
	})

	it('removes access', async () => {
		const agentId = await newAgent()
		await grant(agentId)
		expect((await request('DELETE', `/v1/mcp/servers/${serverId}/access/${agentId}`)).status).toBe(204)
		expect(app.grants.view.of(agentId, serverId)).toEqual([])
		expect((await patch(agentId, { enabled: true })).body.detail).toBe('There is no such access grant.')
		expect((await grant(agentId)).status).toBe(201)
	})

	it('explains for every tool what an agent may do, and why', async () => {
		const agentId = await newAgent()
		await grant(agentId, { access_mode: 'selected', allowed_tools: ['echo', 'later'] })
		const explained = async () => (await request('GET', `/v1/agents/${agentId}/access`)).body.access[0]
		expect(await explained()).toMatchObject({
			grant: { agent_uuid: agentId, access_mode: 'selected' },
			server: { id: serverId, name: 'Tools', slug: 'tools' },
			tools: [
				{ name: 'echo', allowed: true, reason: 'granted_selected' },
				{ name: 'add', allowed: false, reason: 'tool_not_selected' },
				{ name: 'fail', allowed: false, reason: 'tool_not_selected' },
				{ name: 'slow', allowed: false, reason: 'tool_not_selected' },
				{ name: 'later', allowed: true, reason: 'granted_selected' },
			],
		})
		await request('POST', `/v1/agents/${agentId}/pause`)
		expect(
			(await explained()).tools.every(
				(tool: { allowed: boolean; reason: string }) => !tool.allowed && tool.reason === 'agent_not_active',
			),
		).toBe(true)
	})

	it('keeps expiry, constraints and approval as given, and accepts what it returned', async () => {
		const agentId = await newAgent()
		const expires_at = new Date(Date.now() + 60_000).toISOString()
		const constraints = { echo: { properties: { text: { pattern: '^[a-z]+$' } }, required: ['text'] } }
		const limits = { expires_at, constraints, approval: { add: 'ask' } }
		const made = await grant(agentId, limits)
		expect(made).toMatchObject({ status: 201, body: { ...limits, source: { kind: 'manual' } } })
		expect(await patch(agentId, made.body)).toMatchObject({ status: 200, body: limits })
		const { effective } = (await request('GET', `/v1/agents/${agentId}/access`)).body
		expect(effective[0].tools.slice(0, 3)).toMatchObject([
			{
				name: 'echo',
				allowed: true,
				reason: 'granted_constrained',
				text: expect.stringContaining('constraint'),
			},
			{ name: 'add', allowed: true, reason: 'granted_on_approval' },
			{ name: 'fail', allowed: true, reason: 'granted_all' },
		])
		const freed = await patch(agentId, { expires_at: null, constraints: {}, approval: {} })
		expect(freed.body).toMatchObject({ expires_at: null, constraints: {}, approval: {}, access_mode: 'all' })
		const server = (await request('GET', `/v1/mcp/servers/${serverId}`)).body
		expect((await request('PATCH', `/v1/mcp/servers/${serverId}`, server)).status).toBe(200)
	})

	it('ignores an expired grant', async () => {
		const agentId = await newAgent()
		const serversOf = async () => (await request('GET', `/v1/agents/${agentId}`)).body.mcp_server_count
		await grant(agentId, { expires_at: new Date(Date.now() + 60_000).toISOString() })
		expect(await serversOf()).toBe(1)
		await patch(agentId, { expires_at: new Date(Date.now() - 1).toISOString() })
		expect(await serversOf()).toBe(0)
		const { effective } = (await request('GET', `/v1/agents/${agentId}/access`)).body
		expect(effective[0].tools[0]).toMatchObject({ allowed: false, reason: 'grant_expired', via: [] })
	})

	it.each([
		{ constraints: { echo: { patern: 'x' } } },
		{ constraints: { echo: { $ref: 'https://example.org/x' } } },
		{ constraints: { echo: { pattern: '(?=x)' } } },
		{ constraints: { echo: 'text' } },
		{ approval: { echo: 'never' } },
		{ expires_at: 'tomorrow' },
		{ source: { kind: 'toolset' } },
	])('refuses the limits %j', async (limits) => {
		const refused = await grant(await newAgent(), limits)
		expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
		expect(refused.body.errors[0].pointer).toContain(`/${Object.keys(limits)[0]}`)
	})

	it('connects no objects of different workspaces', async () => {
		const stranger = await app.register()
		const agentId = await newAgent()
		await grant(agentId)
		const theirServer = await app.create(
			'/v1/mcp/servers',
			{ name: 'Theirs', url: await closedAddress() },
			stranger.token,
		)
		const theirAgent = await app.create('/v1/agents', { name: 'Theirs' }, stranger.token)
		const tries: [string, string, object | undefined, string][] = [
			['POST', `/v1/mcp/servers/${serverId}/access`, { agent_uuid: theirAgent.id }, app.owner.token],
			['POST', `/v1/mcp/servers/${theirServer.id}/access`, { agent_uuid: agentId }, app.owner.token],
			['POST', `/v1/mcp/servers/${theirServer.id}/access`, { agent_uuid: agentId }, stranger.token],
			['POST', `/v1/mcp/servers/${theirServer.id}/access`, { agent_uuid: 'nonsense' }, stranger.token],
			['PATCH', `/v1/mcp/servers/${serverId}/access/${agentId}`, { enabled: false }, stranger.token],
			['DELETE', `/v1/mcp/servers/${serverId}/access/${agentId}`, undefined, stranger.token],
			['GET', `/v1/mcp/servers/${serverId}/access`, undefined, stranger.token],
			['GET', `/v1/agents/${agentId}/access`, undefined, stranger.token],
		]
		for (const [method, path, body, token] of tries)
			expect(await request(method, path, body, token)).toMatchObject({
				status: 404,
				body: { code: 'not_found' },
			})
		expect(app.grants.view.of(agentId, serverId)[0]?.enabled).toBe(true)
		expect(await app.grants.accessOf(stranger.workspaceId, serverId)).toEqual([])
	})

	it('lets a viewer and a member read, and only an admin or a key with the scope write', async () => {
		const agentId = await newAgent()
		const [viewer, member, admin] = [
			await app.memberOf('viewer'),
			await app.memberOf('member'),
			await app.memberOf('admin'),
		]
		const path = `/v1/mcp/servers/${serverId}/access`
		for (const { token } of [viewer, member]) {
			expect((await request('GET', path, undefined, token)).status).toBe(200)
			expect((await request('POST', path, { agent_uuid: agentId }, token)).body.code).toBe('forbidden')
		}
		const { key: reader } = await app.create('/v1/keys', { name: 'r', scopes: ['access:read'] })
		const { key: writer } = await app.create('/v1/keys', { name: 'w', scopes: ['access:write'] })
		expect((await request('POST', path, { agent_uuid: agentId }, reader)).body.detail).toBe(
			'This needs the scope access:write.',
		)
		expect((await request('POST', path, { agent_uuid: agentId }, writer)).status).toBe(201)
		expect((await request('DELETE', `${path}/${agentId}`, undefined, admin.token)).status).toBe(204)
		const actions = (await request('GET', '/v1/audit?limit=20')).body.audit.map(
			(record: { action: string }) => record.action,
		)
		expect(actions).toEqual(expect.arrayContaining(['access.create', 'access.delete', 'denied']))
	})

	it('shows a matrix of agents and tools with each decision, its grants and who changed them last', async () => {
		const [reader, nobody, lost] = [await newAgent(), await newAgent(), await newAgent()]
		await grant(reader, { allowed_tools: ['echo'] })
		const made = (await patch(reader, { allowed_tools: ['echo', 'ecoh'], approval: { echo: 'ask' } })).body
		await grant(lost, { enabled: false })
		const toolset = await app.create('/v1/toolsets', {
			name: 'Adders',
			tools: [{ server_id: serverId, tools: ['add'] }],
			groups: ['adders'],
		})
		await request('PATCH', `/v1/agents/${reader}`, { groups: ['adders'] })
		const { body } = await request('GET', '/v1/access/matrix?limit=100')
		const shown = (id: string) => body.agents.find(({ uuid }: { uuid: string }) => uuid === id)
		const column = body.servers.find(({ id }: { id: string }) => id === serverId)
		expect(column.tools).toEqual(expect.arrayContaining(['echo', 'add']))
		expect(shown(reader).access).toMatchObject([
			{
				server_id: serverId,
				grants: [
					{ id: made.id, source: { kind: 'manual' }, changed_by: expect.stringContaining('@') },
					{ source: { kind: 'toolset', id: toolset.id }, changed_by: expect.stringContaining('@') },
				],
				unknown_tools: ['ecoh'],
			},
		])
		const decisions = Object.fromEntries(
			shown(reader).access[0].tools.map((each: { name: string; reason: string }) => [each.name, each.reason]),
		)
		expect(decisions).toMatchObject({ echo: 'granted_on_approval', add: 'granted_selected' })
		expect(shown(nobody).access).toEqual([])
		expect(shown(lost).access[0].tools[0]).toMatchObject({ allowed: false, reason: 'grant_disabled' })
		expect(shown(lost).access[0].grants).toMatchObject([{ enabled: false }])
		expect((await request('GET', '/v1/access/matrix?q=no-such-agent')).body).toMatchObject({
			agents: [],
			pagination: { total: 0 },
		})
		const [first, second] = await Promise.all(
			[1, 2].map((page) => request('GET', `/v1/access/matrix?limit=2&page=${page}`)),
		)
		expect(first?.body.agents.length).toBe(2)
		expect(first?.body.agents[0].uuid).not.toBe(second?.body.agents[0].uuid)
	})
})
