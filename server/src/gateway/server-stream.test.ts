import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient } from './testing-client.ts'

/** What a server gets, in its order; each request on a connection of its own. */
const got: string[] = []
const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	got.push(request.method === 'GET' ? 'GET' : '')
	const at = got.length - 1
	for await (const chunk of request) chunks.push(chunk as Buffer)
	if (request.method === 'GET')
		return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
	const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
	got[at] = method ?? request.method
	if (id === undefined) return response.writeHead(202).end()
	const capabilities = { tools: {} }
	const results: Record<string, object> = {
		initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } },
		'tools/list': { tools: [{ name: 'run', inputSchema: { type: 'object' } }] },
		'tools/call': { content: [] },
	}
	const result = results[method]
	const opened = method === 'initialize' ? { 'mcp-session-id': `s${id}` } : {}
	response.writeHead(200, { 'content-type': 'application/json', ...opened })
	const answer = result ? { result } : { error: { code: -32601, message: 'no' } }
	response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
let gateway: TestGateway
let agent: TestAgent

beforeAll(async () => {
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	await gateway.grant(agent.id, await gateway.addServer('Asking', url), null)
})
afterAll(async () => {
	await gateway?.close()
	listener.closeAllConnections()
	listener.close()
})

it('is opened before the first call of a client that can be asked, since its server may ask there at once', async () => {
	for (let round = 0; round < 5; round += 1) {
		const client = newWireClient(`${gateway.url}/mcp/asking`, agent.key)
		const clientInfo = { name: 'w', version: '1' }
		const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo }
		client.session = (await client.request('initialize', params)).headers.get('mcp-session-id') ?? ''
		got.length = 0
		await client.request('tools/call', { name: 'run' })
		expect(got).toEqual(['initialize', 'notifications/initialized', 'GET', 'tools/call'])
	}
})
