import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lockWorkspace } from '../platform/change-scope.ts'
import { describeOnBothDatabases } from '../platform/database/testing.ts'
import { newId } from '../platform/ids.ts'
import { openServersStage } from './stage.testing.ts'
import { closedAddress, startModernServer } from './testing.ts'

describeOnBothDatabases('changing MCP servers', (store) => {
	const stage = openServersStage(store)
	const { request, get, register, modern } = stage

	it('assigns unused slugs, and keeps them through a rename', async () => {
		const url = await closedAddress()
		const first = await register({ name: 'Slug it!', url })
		const second = await register({ name: 'slug-it', url })
		const third = await register({ name: 'Chosen', slug: 'slug-it', url })
		expect([first.slug, second.slug, third.slug]).toEqual(['slug-it', 'slug-it-2', 'slug-it-3'])
		expect((await register({ name: 'Platform', url })).slug).toBe('platform-2')
		const renamed = await request('PATCH', `/v1/mcp/servers/${first.id}`, { name: 'Other name' })
		expect(renamed.body).toMatchObject({ name: 'Other name', slug: 'slug-it' })
		expect(await request('POST', '/v1/mcp/servers', { name: 'Other name', url })).toMatchObject({
			status: 409,
			body: { code: 'name_taken' },
		})
		expect(await request('PATCH', `/v1/mcp/servers/${second.id}`, { name: 'Other name' })).toMatchObject({
			status: 409,
			body: { code: 'name_taken' },
		})
	})

	it('is refused to a key that was revoked while the first check waited for the server', async () => {
		const { id, key } = await stage.app.create('/v1/keys', { name: 'late', scopes: ['servers:write'] })
		const server = createServer()
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
		try {
			const asked = once(server, 'request')
			const body = { name: 'Late', url }
			const creating = stage.app.request('POST', '/v1/mcp/servers', { token: key, body })
			await asked
			await request('DELETE', `/v1/keys/${id}`)
			server.closeAllConnections()
			expect((await creating).status).toBe(401)
			expect((await get('/v1/mcp/servers?q=Late')).body.mcp_servers).toEqual([])
		} finally {
			server.closeAllConnections()
			server.close()
		}
	})

	it('a check that a GET began waits for a deletion of the workspace before it stores its outcome', async () => {
		const { id } = await register({ name: 'Checked', url: stage.everything.url })
		const steps: string[] = []
		let checked: Promise<unknown> = Promise.resolve()
		await store()
			.db.transaction()
			.execute(async (tx) => {
				await lockWorkspace(tx, stage.app.owner.workspaceId)
				checked = get(`/v1/mcp/servers/${id}/health`).then(() => steps.push('checked'))
				await sleep(1000)
				steps.push('deleted')
			})
		await checked
		expect(steps).toEqual(['deleted', 'checked'])
	})

	it('accepts what GET returned, and refuses a changed read-only field', async () => {
		const { id } = await register({
			name: 'Round trip',
			url: stage.everything.url,
			configuration: { any: ['thing', 1] },
		})
		const agent = await stage.app.create('/v1/agents', { name: 'round tripper' })
		await stage.app.create(`/v1/mcp/servers/${id}/access`, { agent_uuid: agent.id })
		const { body } = await get(`/v1/mcp/servers/${id}`)
		for (const method of ['PATCH', 'PUT'])
			expect(await request(method, `/v1/mcp/servers/${id}`, body)).toMatchObject({
				status: 200,
				body: { ...body, updated_at: expect.any(String) },
			})
		const changes = [
			{ id: newId() },
			{ slug: 'x' },
			{ agent_access: [] },
			{ hosting_mode: 'hosted' },
			{ last_health_check: '2999-01-01T00:00:00.000Z' },
			{ status: 'error' },
			{ url: stage.everything.url, endpoint_url: 'http://example.com/' },
		]
		for (const change of changes)
			expect(await request('PATCH', `/v1/mcp/servers/${id}`, change)).toMatchObject({
				status: 400,
				body: { code: 'invalid_request' },
			})
		// The health may have changed since the document was read.
		expect(await request('PATCH', `/v1/mcp/servers/${id}`, { health_status: 'unhealthy' })).toMatchObject({
			status: 200,
			body: { health_status: 'healthy' },
		})
		expect((await request('PUT', `/v1/mcp/servers/${id}`, { name: 'No address' })).status).toBe(400)
		expect(
			(await request('PUT', `/v1/mcp/servers/${id}`, { name: 'Bare', url: stage.everything.url })).body,
		).toMatchObject({ name: 'Bare', description: '', configuration: {} })
	})

	it('sends stored headers upstream, shows them to nobody, and erases them when the origin changes', async () => {
		const first = await modern()
		const second = await modern()
		const secret = 'Bearer upstream-secret-1'
		const made = await request('POST', '/v1/mcp/servers', {
			name: 'Sealed',
			url: first.url,
			headers: { Authorization: secret },
		})
		const { id } = made.body
		expect(first.requests[0]?.authorization).toBe(secret)
		expect(stage.app.servers.view.get(id)?.headers.get('authorization')).toBe(secret)
		const row = await store()
			.db.selectFrom('mcp_servers')
			.selectAll()
			.where('id', '=', id)
			.executeTakeFirstOrThrow()
		const shown = [
			made.text,
			(await get(`/v1/mcp/servers/${id}`)).text,
			(await get('/v1/mcp/servers')).text,
			(await get('/v1/audit')).text,
			JSON.stringify(row),
		]
		for (const text of shown) expect(text).not.toContain('upstream-secret')
		await request('PATCH', `/v1/mcp/servers/${id}`, { url: `${first.url}?v=2` })
		expect(first.requests.at(-1)?.authorization).toBe(secret)
		await request('PATCH', `/v1/mcp/servers/${id}`, { endpoint_url: second.url })
		expect(second.requests.length).toBeGreaterThan(0)
		expect(second.requests.every((headers) => headers.authorization === undefined)).toBe(true)
		expect(stage.app.servers.view.get(id)?.headers.size).toBe(0)
		await request('PATCH', `/v1/mcp/servers/${id}`, { url: first.url })
		expect(first.requests.at(-1)?.authorization).toBeUndefined()
		await request('PATCH', `/v1/mcp/servers/${id}`, { headers: { 'X-Key': 'two' } })
		expect(first.requests.at(-1)?.['x-key']).toBe('two')
	})

	it('follows a server that goes down and recovers, and its tools', async () => {
		const server = await startModernServer()
		const { id } = await register({ name: 'Lively', url: server.url })
		await server.close()
		expect((await get(`/v1/mcp/servers/${id}/health`)).body.status).toBe('unhealthy')
		expect((await get(`/v1/mcp/servers/${id}`)).body.health_status).toBe('unhealthy')
		expect(stage.app.servers.view.get(id)?.healthStatus).toBe('unhealthy')
		const port = Number(new URL(server.url).port)
		await modern({
			port,
			bare: true,
			configure: (mcp: { registerTool: (name: string, config: object, run: () => object) => void }) =>
				mcp.registerTool('fresh', { description: 'new' }, () => ({ content: [] })),
		})
		const refreshed = await request('POST', `/v1/mcp/servers/${id}/tools/refresh`)
		expect(refreshed.body.tools.map((tool: { name: string }) => tool.name)).toEqual(['fresh'])
		expect(stage.app.servers.view.get(id)).toMatchObject({
			healthStatus: 'healthy',
			tools: [{ name: 'fresh' }],
		})
	})

	it('deletes a server, with live grants only by force', async () => {
		const { id } = await register({ name: 'Condemned', url: stage.everything.url })
		const agent = await stage.app.create('/v1/agents', { name: 'last user' })
		await stage.app.create(`/v1/mcp/servers/${id}/access`, { agent_uuid: agent.id })
		expect(await request('DELETE', `/v1/mcp/servers/${id}`)).toMatchObject({
			status: 409,
			body: { code: 'grants_exist' },
		})
		expect((await request('DELETE', `/v1/mcp/servers/${id}?force=true`)).status).toBe(204)
		expect((await get(`/v1/mcp/servers/${id}`)).status).toBe(404)
		expect(stage.app.servers.view.get(id)).toBeUndefined()
		expect(stage.app.servers.view.find(stage.app.owner.workspaceId, 'condemned')).toBeUndefined()
		expect(stage.app.grants.view.serversOf(agent.id)).toEqual([])
	})

	it('deletes no server without force while a grant is committed', async () => {
		const { id } = await register({ name: 'Granted meanwhile', url: stage.everything.url })
		const [first, second] = [await agentNamed('had access'), await agentNamed('gets access')]
		await stage.app.create(`/v1/mcp/servers/${id}/access`, { agent_uuid: first })
		const granted = store().db.selectFrom('access_grants').selectAll().where('server_id', '=', id)
		const grant = await granted.executeTakeFirstOrThrow()
		await request('DELETE', `/v1/mcp/servers/${id}/access/${first}`)
		let deletion: ReturnType<typeof request> | undefined
		await store()
			.db.transaction()
			.execute(async (tx) => {
				await tx
					.insertInto('access_grants')
					.values({ ...grant, id: newId(Date.now()), agent_id: second })
					.execute()
				deletion = request('DELETE', `/v1/mcp/servers/${id}`)
				await sleep(300)
			})
		expect(await deletion).toMatchObject({ status: 409, body: { code: 'grants_exist' } })
		expect((await get(`/v1/mcp/servers/${id}`)).status).toBe(200)
	})

	const agentNamed = async (name: string) => (await stage.app.create('/v1/agents', { name })).id as string
})
