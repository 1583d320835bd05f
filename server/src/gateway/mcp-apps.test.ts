import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, type WireClient } from './testing-client.ts'

const ui = 'io.modelcontextprotocol/ui'
const pages = { mimeTypes: ['text/html;profile=mcp-app'] }
const page = { uri: 'ui://clock/page', name: 'page', mimeType: 'text/html;profile=mcp-app' }
const ask = { name: 'ask', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: page.uri } } }
const plain = { name: 'tell', inputSchema: { type: 'object' } }

/** A server of either era that has a tool with a page for clients that show pages, built like the ones of the MCP Apps kit. */
async function startClock(era: 'legacy' | 'modern') {
	const shows = new Map<string, boolean>()
	const listener = createServer(async (request, response) => {
		const { id, method = '', params = {} } = JSON.parse((await read(request)) || '{}')
		if (request.method !== 'POST' || id === undefined)
			return response.writeHead(request.method === 'GET' ? 405 : 202).end()
		const declared =
			era === 'modern' ? params._meta?.['io.modelcontextprotocol/clientCapabilities'] : params.capabilities
		const session = String(request.headers['mcp-session-id'] ?? id)
		if (era === 'modern' || method === 'initialize')
			shows.set(session, declared?.extensions?.[ui]?.mimeTypes !== undefined)
		const hasPages = shows.get(session) === true
		const capabilities = { tools: {}, resources: {}, extensions: { [ui]: {} } }
		const introduction = { capabilities, serverInfo: { name: 'clock', version: '1' } }
		const results: Record<string, object> = {
			...(era === 'modern'
				? { 'server/discover': { ...introduction, supportedVersions: ['2026-07-28'] } }
				: { initialize: { ...introduction, protocolVersion: '2025-11-25' } }),
			'tools/list': { tools: hasPages ? [plain, ask] : [plain] },
			'tools/call': { content: [{ type: 'text', text: hasPages ? 'to one with pages' : 'to one without' }] },
			'resources/list': { resources: [page] },
			'resources/read': { contents: [{ ...page, text: '<p>12:00', _meta: { ui: { prefersBorder: true } } }] },
		}
		const result = results[method]
		const envelope = era === 'modern' && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
		const body = result ? { result: { ...result, ...envelope } } : { error: { code: -32601, message: 'no' } }
		const opened = method === 'initialize' ? { 'mcp-session-id': String(id) } : {}
		response.writeHead(200, { 'content-type': 'application/json', ...opened })
		response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
	})
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const close = () => {
		listener.closeAllConnections()
		listener.close()
	}
	return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, close }
}

async function read(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks).toString()
}

let gateway: TestGateway
let agent: TestAgent
const ending: (() => void)[] = []
beforeAll(async () => {
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	for (const era of ['legacy', 'modern'] as const) {
		const { url, close } = await startClock(era)
		ending.push(close)
		const id = await gateway.addServer(`Clock ${era}`, url)
		// The check at registration has a short time limit, and this machine may be busy.
		const { tools } = await gateway.manage('POST', `/v1/mcp/servers/${id}/tools/refresh`)
		expect(tools).toHaveLength(2)
		await gateway.grant(agent.id, id, null)
	}
})
afterAll(async () => {
	await gateway?.close()
	for (const end of ending) end()
})

type Send = (method: string, params?: Record<string, unknown>) => ReturnType<WireClient['post']>

/** Clients of each era, with and without support for pages, and what the endpoint shows them. */
const clients = {
	legacy: async (
		path: string,
		capabilities: object,
	): Promise<{ send: Send; told: Record<string, unknown> }> => {
		const client = newWireClient(gateway.url + path, agent.key)
		const clientInfo = { name: 'host', version: '1' }
		const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
		const { headers, body } = await client.request('initialize', params)
		client.session = headers.get('mcp-session-id') ?? ''
		return { send: (method, given) => client.request(method, given), told: body.result.capabilities }
	},
	modern: async (
		path: string,
		capabilities: object,
	): Promise<{ send: Send; told: Record<string, unknown> }> => {
		const client = newWireClient(gateway.url + path, agent.key)
		const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
		const send: Send = (method, params = {}) =>
			client.modern(method, params, typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}, meta)
		return { send, told: (await send('server/discover')).body.result.capabilities }
	},
}
const quadrants = ['legacy', 'modern'].flatMap((client) =>
	['legacy', 'modern'].map((server) => ({ client, server })),
) as { client: keyof typeof clients; server: string }[]

describe.each(quadrants)('a $client host of a $server server with MCP Apps', ({ client: era, server }) => {
	const path = `/mcp/clock-${server}`
	const open = clients[era]

	it('that shows pages has the tools with pages, and the server knows that it does', async () => {
		const { send, told } = await open(path, { extensions: { [ui]: pages } })
		expect(told.extensions).toMatchObject({ [ui]: {} })
		const { tools } = (await send('tools/list')).body.result
		expect(tools).toEqual([plain, ask])
		const { content } = (await send('tools/call', { name: 'ask' })).body.result
		expect(content[0].text).toBe('to one with pages')
		const { contents } = (await send('resources/read', { uri: page.uri })).body.result
		expect(contents).toEqual([{ ...page, text: '<p>12:00', _meta: { ui: { prefersBorder: true } } }])
	})

	it('that does not has the others, and the server knows that too', async () => {
		const { send } = await open(path, {})
		expect((await send('tools/list')).body.result.tools).toEqual([plain])
		expect((await send('tools/call', { name: 'tell' })).body.result.content[0].text).toBe('to one without')
		const { error } = (await send('tools/call', { name: 'ask' })).body
		expect(error.data).toMatchObject({
			code: 'client_ability_missing',
			requiredCapabilities: { extensions: { [ui]: pages } },
		})
	})

	it('finds them at the aggregate', async () => {
		const { send } = await open('/mcp', { extensions: { [ui]: pages } })
		const { tools } = (await send('tools/list')).body.result
		const shown = tools.find(({ name }: { name: string }) => name === `clock-${server}__ask`)
		expect(shown._meta).toEqual(ask._meta)
	})
})
