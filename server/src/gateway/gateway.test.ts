import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithStore } from '../platform/database/testing.ts'
import { startEverythingServer, type TestMcpServer } from '../servers/testing.ts'
import { openTestGatewayOn, type TestGateway } from './testing.ts'
import { newWireClient, until } from './testing-client.ts'

describeWithStore('the gateway over the real control plane', (store) => {
	let whole: TestGateway
	let everything: TestMcpServer
	let agents = 0
	let agentId: string
	let keyId: string
	let serverId: string
	let key: string
	const wire = (path = '/mcp/everything') => newWireClient(whole.url + path, key)
	const names = async (client: { request: ReturnType<typeof newWireClient>['request'] }) =>
		(await client.request('tools/list')).body.result.tools.map((tool: { name: string }) => tool.name)

	beforeAll(async () => {
		everything = await startEverythingServer()
		whole = await openTestGatewayOn(store())
		serverId = await whole.addServer('Everything', everything.url)
	})
	afterAll(async () => {
		await whole?.close()
		await everything?.close()
	})
	beforeEach(async () => {
		agents += 1
		;({ id: agentId, key, keyId } = await whole.addAgent(`Rosa ${agents}`))
		await whole.grant(agentId, serverId, ['echo', 'trigger-long-running-operation'])
		whole.rows.length = 0
	})

	it.each(['/mcp', '/mcp/everything/', '/mcp-key/', '/mcp-key/everything'])(
		'shows and calls exactly what is granted on %s',
		async (path) => {
			const client = new Client({ name: 'stock', version: '1' })
			await client.connect(
				new StreamableHTTPClientTransport(new URL(whole.url + path), {
					requestInit: { headers: { 'x-api-key': key } },
				}),
			)
			const prefix = path.includes('everything') ? '' : 'everything__'
			expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
				`${prefix}echo`,
				`${prefix}trigger-long-running-operation`,
			])
			expect(await client.callTool({ name: `${prefix}echo`, arguments: { message: 'hi' } })).toMatchObject({
				content: [{ text: 'Echo: hi' }],
			})
			await expect(client.callTool({ name: `${prefix}get-env`, arguments: {} })).rejects.toThrow(
				`${prefix}get-env`,
			)
			await client.close()
			const calls = whole.rows.filter((row) => row.kind === 'tool_call')
			expect(calls.map(({ status, toolName }) => `${toolName} ${status}`)).toEqual([
				'echo ok',
				'get-env denied',
			])
			expect(calls[0]).toMatchObject({ agentId, serverId, serverName: 'Everything', credentialId: keyId })
		},
	)

	const stops: Record<string, () => Promise<unknown>> = {
		'a paused agent': () => whole.manage('POST', `/v1/agents/${agentId}/pause`),
		'a grant that is switched off': () =>
			whole.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agentId}`, { enabled: false }),
		'a revoked key': () => whole.manage('DELETE', `/v1/keys/${keyId}`),
	}
	it.each(Object.keys(stops))('%s is refused at once, also during a call', async (name) => {
		const client = wire()
		await client.initialize()
		expect(await names(client)).toHaveLength(2)
		const other = wire()
		await other.initialize()
		const running = other.request('tools/call', {
			name: 'trigger-long-running-operation',
			arguments: { duration: 20, steps: 40 },
			_meta: { progressToken: 1 },
		})
		await new Promise((resolve) => setTimeout(resolve, 200))
		await stops[name]?.()
		const stoppedMs = performance.now()
		expect((await running).body).toMatchObject({ id: 1, error: { code: expect.any(Number) } })
		await until(async () => {
			const { status, body } = await client.request('tools/call', {
				name: 'echo',
				arguments: { message: 'x' },
			})
			return status === 401 || body.error !== undefined
		}, 10_000)
		expect(performance.now() - stoppedMs).toBeLessThan(5000)
	})

	it('keeps a session across a change and is notified on its stream', async () => {
		const client = wire('/mcp')
		await client.initialize()
		const abort = new AbortController()
		const headers = { 'x-api-key': key, 'mcp-session-id': client.session, accept: 'text/event-stream' }
		const stream = await fetch(`${whole.url}/mcp`, { headers, signal: abort.signal })
		let heard = ''
		const reading = (async () => {
			for await (const chunk of stream.body as AsyncIterable<Uint8Array>)
				heard += Buffer.from(chunk).toString()
		})().catch(() => {})
		await whole.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agentId}`, { allowed_tools: ['echo'] })
		await until(() => heard.includes('tools/list_changed'), 10_000)
		expect(await names(client)).toEqual(['everything__echo'])
		abort.abort()
		await reading
	})

	it('lets an agent with sessions be deleted', async () => {
		const client = wire()
		await client.initialize()
		await whole.manage('DELETE', `/v1/agents/${agentId}`)
		expect((await client.request('tools/list')).status).toBe(401)
	})
})
