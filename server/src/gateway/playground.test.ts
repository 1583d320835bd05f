import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModernTestServer, objectSchema, startModernServer } from '../servers/testing.ts'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'

const hardNames = ['github/create_issue', '~echo', 'a\\b', '..']

describe('the playground', () => {
	let gateway: TestGateway
	let upstream: ModernTestServer
	let agent: TestAgent
	let serverId: string
	beforeAll(async () => {
		gateway = await openTestGateway({ idleMs: 300 })
		upstream = await startModernServer({
			configure: (server) => {
				const schema = { inputSchema: objectSchema({}) }
				for (const name of hardNames) server.registerTool(name, schema, async () => ({ content: [] }))
			},
		})
		serverId = await gateway.addServer('Play', upstream.url)
		agent = await gateway.addAgent('Player')
		await gateway.grant(agent.id, serverId, ['echo'])
	})
	afterAll(async () => {
		await gateway.close()
		await upstream.close()
	})
	const call = (tool: string, body: object, token = gateway.owner.token, server = serverId) =>
		gateway.request('POST', `/v1/mcp/servers/${server}/tools/${tool}/call`, { token, body })
	const lastRow = () => gateway.rows.filter(({ kind }) => kind === 'tool_call').at(-1)

	it("is an admin's own call without an agent, audited and recorded", async () => {
		const answer = await call('add', { arguments: { a: 2, b: 3 } })
		expect(answer).toMatchObject({
			status: 200,
			body: { result: { structuredContent: { sum: 5 } }, error: null, is_error: false },
		})
		expect(answer.body.duration_ms).toBeGreaterThan(0)
		expect(lastRow()).toMatchObject({
			traceId: answer.body.trace_id,
			toolName: 'add',
			agentId: '',
			client: 'playground/1.2.3',
			status: 'ok',
		})
		const { audit } = (await gateway.request('GET', '/v1/audit?limit=1', { token: gateway.owner.token })).body
		expect(audit[0]).toMatchObject({ action: 'servers.call-tool', detail: { tool: 'add', agent_uuid: null } })
	})

	it('calls tools whose names cannot be part of a path', async () => {
		for (const name of hardNames) {
			const answer = await call(`~${Buffer.from(name).toString('base64url')}`, {})
			expect([answer.status, answer.body.is_error], name).toEqual([200, false])
			expect(lastRow(), name).toMatchObject({ toolName: name })
		}
	})

	it('is checked against the grants of an agent that it names', async () => {
		const asAgent = (tool: string) => call(tool, { arguments: { message: 'hi' }, agent_uuid: agent.id })
		expect((await asAgent('echo')).body).toMatchObject({ is_error: false })
		expect(lastRow()).toMatchObject({ agentId: agent.id, agentName: 'Player', status: 'ok' })
		expect(await asAgent('add')).toMatchObject({ status: 403, body: { code: 'tool_not_granted' } })
		expect(lastRow()).toMatchObject({ toolName: 'add', status: 'denied' })
		await gateway.manage('POST', `/v1/agents/${agent.id}/pause`)
		expect(await asAgent('echo')).toMatchObject({ status: 403, body: { code: 'tool_not_granted' } })
		await gateway.manage('POST', `/v1/agents/${agent.id}/resume`)
	})

	it('does not wait for an approval, whether with a token or with a key', async () => {
		const careful = await gateway.addAgent('Careful')
		await gateway.grant(careful.id, serverId, ['echo'])
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${careful.id}`, {
			approval: { echo: 'ask' },
		})
		const made = await gateway.manage('POST', '/v1/keys', { name: 'play', scopes: ['servers:write'] })
		for (const token of [gateway.owner.token, made.key]) {
			const asked = call('echo', { arguments: { message: 'hi' }, agent_uuid: careful.id }, token)
			const late = sleep(5000, null, { ref: false })
			expect(await Promise.race([asked, late])).toMatchObject({
				status: 403,
				body: { code: 'tool_not_granted', detail: expect.stringContaining('waits for the approval of') },
			})
		}
	})

	it("passes on the tool's own failure, and says 504 for one that does not answer", async () => {
		const failed = await call('fail', {})
		expect(failed).toMatchObject({ status: 200, body: { is_error: true, result: { isError: true } } })
		expect(await call('slow', { arguments: { delay_ms: 2000 } })).toMatchObject({
			status: 504,
			body: { code: 'upstream_timeout' },
		})
		expect(lastRow()).toMatchObject({ toolName: 'slow', status: 'cut', errorType: 'timeout' })
	})

	it('cancels the call at the server when nobody waits for the answer any more', async () => {
		const leaving = new AbortController()
		const url = `${gateway.url}/v1/mcp/servers/${serverId}/tools/slow/call`
		const asked = fetch(url, {
			method: 'POST',
			headers: { authorization: `Bearer ${gateway.owner.token}`, 'content-type': 'application/json' },
			body: JSON.stringify({ arguments: { delay_ms: 20_000 } }),
			signal: leaving.signal,
		}).catch(() => null)
		const before = gateway.rows.length
		await new Promise((done) => setTimeout(done, 100))
		leaving.abort()
		await asked
		for (let turn = 0; turn < 100 && gateway.rows.length === before; turn += 1)
			await new Promise((done) => setTimeout(done, 50))
		expect(lastRow()).toMatchObject({ toolName: 'slow', status: 'interrupted', errorType: 'cancelled' })
	})

	it('says 502 for a server that is down', async () => {
		const other = await startModernServer()
		const id = await gateway.addServer('Gone', other.url)
		await other.close()
		expect(await call('echo', { arguments: { message: 'x' } }, gateway.owner.token, id)).toMatchObject({
			status: 502,
			body: { code: 'upstream_unreachable' },
		})
	})

	it('is for admins only, and only for objects of their workspace', async () => {
		const member = await gateway.memberOf('member')
		expect((await call('add', {}, member.token)).status).toBe(403)
		const stranger = await gateway.register()
		expect((await call('add', {}, stranger.token)).body.code).toBe('not_found')
		expect((await call('nothing', {})).body.detail).toBe('There is no such tool.')
		expect((await call('add', { agent_uuid: 'nobody' })).body.detail).toBe('There is no such agent.')
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}`, { status: 'inactive' })
		expect((await call('add', {})).status).toBe(409)
		await gateway.manage('PATCH', `/v1/mcp/servers/${serverId}`, { status: 'active' })
	})
})
