import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import { type ModernTestServer, startModernServer } from '../../../servers/testing.ts'
import { type ControlPlane, startControlPlane } from '../testing.ts'

describeOnBothDatabases('toolsets', (store) => {
	let app: ControlPlane
	let upstream: ModernTestServer
	let serverId = ''
	let otherId = ''
	let group = ''
	let names = 0
	beforeAll(async () => {
		upstream = await startModernServer()
		app = await startControlPlane(store())
		serverId = (await app.create('/v1/mcp/servers', { name: 'Tools', url: upstream.url })).id
		otherId = (await app.create('/v1/mcp/servers', { name: 'Other', url: upstream.url })).id
	})
	afterAll(async () => {
		await app.close()
		await upstream.close()
	})
	beforeEach(() => {
		names += 1
		group = `group-${names}`
	})

	const send = (method: string, path: string, body?: object, token = app.owner.token) =>
		app.request(method, path, { token, ...(body && { body }) })
	const newAgent = async (groups: string[] = [group]): Promise<string> => {
		names += 1
		return (await app.create('/v1/agents', { name: `agent ${names}`, groups })).id
	}
	const newToolset = (content: object = {}) => {
		names += 1
		const tools = [{ server_id: serverId, tools: ['echo'] }]
		return app.create('/v1/toolsets', { name: `toolset ${names}`, tools, groups: [group], ...content })
	}
	const grantOf = (agentId: string, server = serverId) => app.grants.view.of(agentId, server)
	const toolsOf = (agentId: string, server = serverId) =>
		grantOf(agentId, server).flatMap(({ allowedTools }) => [...(allowedTools ?? [])])
	const accessOf = async (agentId: string) => (await send('GET', `/v1/agents/${agentId}/access`)).body
	const rowsOn = async (agentId: string) =>
		(await send('GET', `/v1/mcp/servers/${serverId}/access`)).body.access.filter(
			({ agent }: { agent: { uuid: string } }) => agent.uuid === agentId,
		)

	it('says at once which of its tools do not exist', async () => {
		const toolset = await newToolset({ tools: [{ server_id: serverId, tools: ['echo', 'ecko'] }] })
		const warnings = ['tools: the server Tools has no tool ecko.']
		expect(toolset.warnings).toEqual(warnings)
		const path = `/v1/toolsets/${toolset.id}`
		expect((await send('GET', path)).body.warnings).toEqual(warnings)
		const tools = [{ server_id: serverId, tools: ['echo'] }]
		const mended = await send('PATCH', path, { ...toolset, tools })
		expect(mended).toMatchObject({ status: 200, body: { warnings: [] } })
	})

	it('gives every agent of its groups a grant that says where it comes from', async () => {
		const [inside, outside] = [await newAgent(), await newAgent([])]
		const toolset = await newToolset()
		expect(toolset).toMatchObject({
			description: '',
			tools: [{ server_id: serverId, tools: ['echo'] }],
			groups: [group],
			agent_count: 1,
		})
		expect(await rowsOn(inside)).toMatchObject([
			{
				access_mode: 'selected',
				allowed_tools: ['echo'],
				enabled: true,
				expires_at: null,
				constraints: {},
				approval: {},
				source: { kind: 'toolset', id: toolset.id, name: toolset.name },
			},
		])
		expect((await send('GET', `/v1/mcp/servers/${serverId}`)).body.agent_access).toEqual(
			(await send('GET', `/v1/mcp/servers/${serverId}/access`)).body.access,
		)
		expect(toolsOf(inside)).toEqual(['echo'])
		expect(toolsOf(outside)).toEqual([])
		expect((await send('GET', `/v1/toolsets/${toolset.id}`)).body).toEqual(toolset)
	})

	it('follows a change of its tools and groups, and keeps the ids of grants that stay', async () => {
		const [agentId, other] = [await newAgent(), await newAgent([`${group}-b`])]
		const { id } = await newToolset()
		const [before] = grantOf(agentId)
		const patch = (change: object) => send('PATCH', `/v1/toolsets/${id}`, change)
		await patch({
			tools: [
				{ server_id: serverId, tools: ['add', 'echo'] },
				{ server_id: otherId, tools: ['add'] },
			],
		})
		expect([toolsOf(agentId), toolsOf(agentId, otherId)]).toEqual([['add', 'echo'], ['add']])
		expect(grantOf(agentId)[0]?.id).toBe(before?.id)
		await patch({ groups: [`${group}-b`] })
		expect([toolsOf(agentId), toolsOf(other)]).toEqual([[], ['add', 'echo']])
		await patch({ groups: [group, `${group}-b`], tools: [] })
		expect([toolsOf(agentId), toolsOf(other)]).toEqual([[], []])
		expect((await patch({ name: `renamed ${names}` })).status).toBe(200)
	})

	it('follows the groups of an agent, in the view before it answers', async () => {
		const agentId = await newAgent([])
		const { id } = await newToolset({ groups: [group, `${group}-b`] })
		const patch = (groups: string[]) => send('PATCH', `/v1/agents/${agentId}`, { groups })
		expect((await patch([group, `${group}-b`])).body.groups).toEqual([group, `${group}-b`])
		expect(grantOf(agentId)).toHaveLength(1)
		await patch([group])
		expect(toolsOf(agentId)).toEqual(['echo'])
		await patch([])
		expect(grantOf(agentId)).toEqual([])
		await patch([group])
		expect((await send('DELETE', `/v1/toolsets/${id}`)).status).toBe(204)
		expect(grantOf(agentId)).toEqual([])
		expect((await send('GET', `/v1/toolsets/${id}`)).status).toBe(404)
	})

	it('resolves `*` to the current tools, not to later ones', async () => {
		const agentId = await newAgent()
		const toolset = await newToolset({ tools: [{ server_id: serverId, tools: '*' }] })
		expect(toolset.tools[0].tools).toEqual(['echo', 'add', 'fail', 'slow'])
		const { effective } = await accessOf(agentId)
		expect(effective[0].tools.map(({ allowed }: { allowed: boolean }) => allowed)).toEqual([
			true,
			true,
			true,
			true,
		])
		expect(grantOf(agentId)[0]?.accessMode).toBe('selected')
	})

	it('refuses to change or delete a derived grant and names the toolset', async () => {
		const agentId = await newAgent()
		const toolset = await newToolset()
		const path = `/v1/mcp/servers/${serverId}/access/${agentId}`
		for (const answer of [await send('PATCH', path, { enabled: false }), await send('DELETE', path)])
			expect(answer).toMatchObject({
				status: 409,
				body: { code: 'derived_grant', detail: expect.stringContaining(`${toolset.name} (${toolset.id})`) },
			})
		expect(toolsOf(agentId)).toEqual(['echo'])
	})

	it('coexists with a direct grant: together they allow more, and disabled that one denies everything', async () => {
		const agentId = await newAgent()
		const toolset = await newToolset()
		const path = `/v1/mcp/servers/${serverId}/access`
		const manual = await app.create(path, { agent_uuid: agentId, allowed_tools: ['add'] })
		expect((await send('POST', path, { agent_uuid: agentId })).status).toBe(409)
		const { access, effective } = await accessOf(agentId)
		expect(access.map(({ grant }: { grant: { source: object } }) => grant.source)).toEqual(
			expect.arrayContaining([{ kind: 'manual' }, { kind: 'toolset', id: toolset.id, name: toolset.name }]),
		)
		expect(effective).toMatchObject([
			{
				server: { id: serverId, name: 'Tools', slug: 'tools' },
				tools: [
					{ name: 'echo', allowed: true, via: [{ source: { kind: 'toolset', id: toolset.id } }] },
					{ name: 'add', allowed: true, via: [{ grant_id: manual.id, source: { kind: 'manual' } }] },
					{ name: 'fail', allowed: false, reason: 'tool_not_selected', via: [] },
					{ name: 'slow', allowed: false },
				],
			},
		])
		const serversOf = async () => (await send('GET', `/v1/agents/${agentId}`)).body.mcp_server_count
		expect(await serversOf()).toBe(1)
		await send('PATCH', `${path}/${agentId}`, { enabled: false })
		expect((await accessOf(agentId)).effective[0].tools).toMatchObject(
			Array(4).fill({ allowed: false, reason: 'grant_disabled', via: [] }),
		)
		expect(await serversOf()).toBe(0)
		await send('DELETE', `${path}/${agentId}`)
		expect(toolsOf(agentId)).toEqual(['echo'])
	})

	it('previews what each agent would gain and lose, and changes nothing', async () => {
		const [first, second, newcomer] = [await newAgent(), await newAgent(), await newAgent([`${group}-b`])]
		const { id } = await newToolset({ tools: [{ server_id: serverId, tools: ['echo', 'fail'] }] })
		await app.create(`/v1/mcp/servers/${serverId}/access`, { agent_uuid: second, allowed_tools: ['echo'] })
		await send('POST', `/v1/agents/${first}/pause`)
		const proposal = {
			tools: [{ server_id: serverId, tools: ['fail', 'add'] }],
			groups: [group, `${group}-b`],
		}
		const before = [first, second, newcomer].map((agentId) => grantOf(agentId))
		const { status, body } = await send('POST', `/v1/toolsets/${id}/preview`, proposal)
		expect([status, body.agents_changed, body.tools_gained, body.tools_lost]).toEqual([200, 3, 4, 1])
		const changeOf = (agentId: string) =>
			body.changes.find(({ agent }: { agent: { uuid: string } }) => agent.uuid === agentId)
		expect(changeOf(first)).toMatchObject({ server: { id: serverId }, gained: ['add'], lost: ['echo'] })
		expect(changeOf(second)).toMatchObject({ gained: ['add'], lost: [] })
		expect(changeOf(newcomer)).toMatchObject({ gained: ['fail', 'add'], lost: [] })
		expect([first, second, newcomer].map((agentId) => grantOf(agentId))).toEqual(before)
		await send('PATCH', `/v1/toolsets/${id}`, proposal)
		expect(toolsOf(newcomer)).toEqual(['fail', 'add'])
		const again = await send('POST', `/v1/toolsets/${id}/preview`, proposal)
		expect(again.body).toEqual({ agents_changed: 0, tools_gained: 0, tools_lost: 0, changes: [] })
	})

	it.each([
		{ groups: ['No Slug'] },
		{ groups: ['twice', 'twice'] },
		{ groups: Array.from({ length: 51 }, (_, at) => `g${at}`) },
		{ tools: [{ server_id: 'x', tools: 'all' }] },
		{ tools: [{ server_id: 'x', tools: [''] }] },
		{ nonsense: 1 },
	])('refuses %j', async (content) => {
		expect(await send('POST', '/v1/toolsets', { name: 'Bad', ...content })).toMatchObject({
			status: 400,
			body: { code: 'invalid_request' },
		})
	})

	it('refuses a server named twice and one that does not exist', async () => {
		const once = { server_id: serverId, tools: ['echo'] }
		const make = (tools: object[]) => send('POST', '/v1/toolsets', { name: 'Bad', tools })
		expect((await make([once, once])).status).toBe(400)
		expect(await make([once, { ...once, server_id: newId() }])).toMatchObject({
			status: 404,
			body: { detail: 'There is no such MCP server.' },
		})
		expect((await send('GET', '/v1/toolsets?q=Bad')).body.toolsets).toEqual([])
	})

	it('accepts what GET returned, and lists in pages by name and group', async () => {
		const toolset = await newToolset()
		expect(await send('PATCH', `/v1/toolsets/${toolset.id}`, toolset)).toMatchObject({ status: 200 })
		for (const change of [{ id: newId() }, { agent_count: 7 }, { created_at: '2020-01-01T00:00:00.000Z' }])
			expect((await send('PATCH', `/v1/toolsets/${toolset.id}`, change)).status).toBe(400)
		const { body } = await send('GET', `/v1/toolsets?group=${group}&sort=name&order=asc`)
		expect(body).toMatchObject({ toolsets: [{ id: toolset.id }], pagination: { total: 1 } })
		expect(await send('POST', '/v1/toolsets', { name: toolset.name })).toMatchObject({
			status: 409,
			body: { code: 'name_taken' },
		})
	})

	it('lets a member change an agent, but not what decides its access', async () => {
		const agentId = await newAgent()
		await newToolset({ groups: ['privileged'] })
		const member = await app.memberOf('member')
		const { key } = await app.create('/v1/keys', { name: 'k', scopes: ['agents:write', 'agents:read'] })
		for (const token of [member.token, key]) {
			const patch = (change: object) => send('PATCH', `/v1/agents/${agentId}`, change, token)
			expect((await patch({ groups: ['privileged'] })).body.code).toBe('forbidden')
			expect((await patch({ model_access: { mode: 'selected' } })).body.code).toBe('forbidden')
			expect((await send('POST', '/v1/agents', { name: 'x', groups: ['privileged'] }, token)).status).toBe(
				403,
			)
			expect((await patch((await send('GET', `/v1/agents/${agentId}`)).body)).status).toBe(200)
			expect((await send('POST', '/v1/toolsets', { name: 'x' }, token)).status).toBe(403)
		}
		expect(toolsOf(agentId)).toEqual([])
	})

	it('stays within its workspace, even if groups elsewhere have the same names', async () => {
		const stranger = await app.register()
		const agentId = await newAgent()
		const toolset = await newToolset()
		const theirs = await app.create('/v1/agents', { name: 'Theirs', groups: [group] }, stranger.token)
		const tools = [{ server_id: serverId, tools: ['echo'] }]
		expect((await send('POST', '/v1/toolsets', { name: 'T', tools }, stranger.token)).status).toBe(404)
		for (const [method, path, body] of [
			['GET', '', undefined],
			['PATCH', '', { name: 'x' }],
			['DELETE', '', undefined],
			['POST', '/preview', { groups: [] }],
		] as const)
			expect((await send(method, `/v1/toolsets/${toolset.id}${path}`, body, stranger.token)).status).toBe(404)
		expect(grantOf(theirs.id)).toEqual([])
		expect(toolsOf(agentId)).toEqual(['echo'])
		expect((await send('GET', '/v1/toolsets', undefined, stranger.token)).body.toolsets).toEqual([])
	})

	it('writes its changes into the audit log', async () => {
		const { id } = await newToolset()
		await newAgent()
		await send('PATCH', `/v1/toolsets/${id}`, { tools: [] })
		await send('DELETE', `/v1/toolsets/${id}`)
		const { audit } = (await send('GET', '/v1/audit?limit=5')).body
		const ours = audit.filter(({ target }: { target: { id: string } }) => target?.id === id)
		expect(
			ours.map(({ action, detail }: { action: string; detail: object }) => ({ action, ...detail })),
		).toMatchObject([
			{ action: 'toolsets.delete', grants_removed: 0 },
			{ action: 'toolsets.update', grants_removed: 1 },
			{ action: 'toolsets.create', grants_added: 0 },
		])
	})
})
