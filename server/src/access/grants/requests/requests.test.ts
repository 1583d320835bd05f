import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { type ControlPlane, startControlPlane } from '../testing.ts'

describeOnBothDatabases('access requests', (store) => {
	let plane: ControlPlane
	let serverId: string
	let viewer: string
	let agents = 0
	beforeAll(async () => {
		plane = await startControlPlane(store())
		serverId = (await plane.create('/v1/mcp/servers', { name: 'Mail', url: 'http://127.0.0.1:9/mcp' })).id
		viewer = (await plane.memberOf('viewer')).token
	})
	afterAll(() => plane?.close())

	const addAgent = async () => {
		agents += 1
		return (await plane.create('/v1/agents', { name: `Agent ${agents}` })).id as string
	}
	const ask = (agent: string, more: object = {}, token = viewer) => {
		const body = { agent_uuid: agent, server: 'mail', ...more }
		return plane.request('POST', '/v1/access-requests', { token, body })
	}
	const decide = (id: string, verb: 'grant' | 'decline', token = plane.owner.token) =>
		plane.request('POST', `/v1/access-requests/${id}/${verb}`, { token })
	const grantOf = async (agent: string) =>
		(await plane.request('GET', `/v1/mcp/servers/${serverId}/access/${agent}`, { token: plane.owner.token }))
			.body

	it('can be made by any member, and give just that tool when an admin approves', async () => {
		const agent = await addAgent()
		const made = await ask(agent, { tool: 'send', reason: 'to answer people' })
		expect(made).toMatchObject({
			status: 201,
			body: { status: 'pending', tool: 'send', reason: 'to answer people' },
		})
		expect((await ask(agent, { tool: 'send' })).body.code).toBe('conflict')
		expect((await decide(made.body.id, 'grant', viewer)).status).toBe(403)
		expect((await grantOf(agent)).code).toBe('not_found')
		expect((await decide(made.body.id, 'grant')).body).toMatchObject({
			...{ status: 'granted', decided_by: plane.owner.email },
		})
		expect(await grantOf(agent)).toMatchObject({ access_mode: 'selected', allowed_tools: ['send'] })
		expect((await decide(made.body.id, 'decline')).body.code).toBe('conflict')
	})

	it('add to the existing grant, whose limits stay', async () => {
		const agent = await addAgent()
		const terms = { allowed_tools: ['read'], approval: { read: 'ask' } }
		await plane.create(`/v1/mcp/servers/${serverId}/access`, { agent_uuid: agent, ...terms })
		await decide((await ask(agent, { tool: 'send' })).body.id, 'grant')
		expect(await grantOf(agent)).toMatchObject({ ...terms, allowed_tools: ['read', 'send'] })
		await decide((await ask(agent)).body.id, 'grant')
		expect(await grantOf(agent)).toMatchObject({ access_mode: 'all', approval: { read: 'ask' } })
	})

	it('do not reactivate a disabled grant', async () => {
		const agent = await addAgent()
		const off = { agent_uuid: agent, allowed_tools: ['read'], enabled: false }
		await plane.create(`/v1/mcp/servers/${serverId}/access`, off)
		const { id } = (await ask(agent, { tool: 'send' })).body
		expect((await decide(id, 'grant')).body.code).toBe('conflict')
		expect(await grantOf(agent)).toMatchObject({ enabled: false, allowed_tools: ['read'] })
		const listed = await plane.request('GET', '/v1/access-requests?status=pending', { token: viewer })
		expect(listed.body.access_requests).toMatchObject([{ id, status: 'pending' }])
	})

	it('can be declined, and made again', async () => {
		const agent = await addAgent()
		const { id } = (await ask(agent, { tool: 'send' })).body
		expect((await decide(id, 'decline')).body.status).toBe('declined')
		expect((await ask(agent, { tool: 'send' })).status).toBe(201)
		expect((await grantOf(agent)).code).toBe('not_found')
	})

	it('can name agents and servers of their own workspace only', async () => {
		const agent = await addAgent()
		const other = await plane.register()
		expect((await ask(agent, {}, other.token)).status).toBe(404)
		expect((await ask(agent, { server: 'none' })).status).toBe(404)
		const { id } = (await ask(agent)).body
		const path = `/v1/access-requests/${id}`
		expect((await plane.request('GET', path, { token: other.token })).status).toBe(404)
		expect((await decide(id, 'grant', other.token)).status).toBe(404)
	})
})
