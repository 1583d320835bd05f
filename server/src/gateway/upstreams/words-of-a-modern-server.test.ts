import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient } from '../testing-client.ts'

/** The answer of a server of 2026-07-28 to calls. */
let answer: object = {}
/** Tools that its next call adds, and the lists that it announces on its stream. */
const added: object[] = []
const announced: string[] = []
const tools = [{ name: 'run', inputSchema: { type: 'object' } }]
const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
	const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
	const answers: Record<string, object> = {
		'server/discover': {
			result: {
				...complete,
				supportedVersions: ['2026-07-28'],
				capabilities: { tools: {}, prompts: {}, resources: {} },
			},
		},
		'tools/list': { result: { ...complete, tools } },
		'tools/call': answer,
	}
	const known = answers[method] ?? { error: { code: -32601, message: 'no' } }
	if (method === 'tools/call' && announced.length > 0) {
		tools.push(...(added.splice(0) as typeof tools))
		response.writeHead(200, { 'content-type': 'text/event-stream' })
		for (const list of announced.splice(0))
			response.write(`data: {"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}\n\n`)
		return response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...known })}\n\n`)
	}
	response.writeHead(200, { 'content-type': 'application/json' })
	response.end(JSON.stringify({ jsonrpc: '2.0', id, ...known }))
})
let gateway: TestGateway
let agent: TestAgent
let serverId: string

beforeAll(async () => {
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	serverId = await gateway.addServer('Modern', url)
	await gateway.grant(agent.id, serverId, null)
})
afterAll(async () => {
	await gateway?.close()
	listener.closeAllConnections()
	listener.close()
})
const callAs = {
	legacy: async () => {
		const client = newWireClient(`${gateway.url}/mcp/modern`, agent.key)
		await client.initialize()
		return (await client.request('tools/call', { name: 'run' })).body
	},
	modern: async () =>
		(await newWireClient(`${gateway.url}/mcp/modern`, agent.key).modern('tools/call', { name: 'run' })).body,
}
const eras = ['legacy', 'modern'] as const

it.each(eras)(
	'an error about headers or version of the gateway does not reach a %s client, which sent others',
	async (era) => {
		for (const code of [-32020, -32022]) {
			answer = { error: { code, message: 'no such version', data: { supported: ['2028-01-01'] } } }
			const { error } = await callAs[era]()
			expect(error).toMatchObject({ code: -32603, data: { code: 'upstream_handshake_failed' } })
			expect(error.message).toContain('no such version')
		}
	},
)

it.each(eras)('other errors reach a %s client unchanged', async (era) => {
	answer = { error: { code: -32021, message: 'ask me', data: { requiredCapabilities: { roots: {} } } } }
	expect((await callAs[era]()).error).toEqual((answer as { error: object }).error)
})

it('a result of an unknown type is an error for a legacy client, and unchanged for a modern one', async () => {
	answer = { result: { resultType: 'surprise', content: [] } }
	expect((await callAs.legacy()).error.data.code).toBe('upstream_invalid_answer')
	expect((await callAs.modern()).result.resultType).toBe('surprise')
	answer = { result: { resultType: 'complete', content: [], ttlMs: 5, extra: 1 } }
	expect((await callAs.legacy()).result).toEqual({ content: [], extra: 1 })
})

it.each(eras)('a call of a %s client that announces new tools has them read at once', async (era) => {
	answer = { result: { resultType: 'complete', content: [] } }
	added.push({ name: `of ${era}`, inputSchema: { type: 'object' } })
	announced.push('tools')
	expect((await callAs[era]()).result.content).toEqual([])
	const known = () => gateway.manage('GET', `/v1/mcp/servers/${serverId}/tools`)
	await expect
		.poll(async () => (await known()).tools.map((tool: { name: string }) => tool.name), { timeout: 10_000 })
		.toContain(`of ${era}`)
})

it('a modern client that listens is notified of prompts and resources that the call of another one announces', async () => {
	answer = { result: { resultType: 'complete', content: [] } }
	const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
	const abort = new AbortController()
	const stream = await listenTo(notifications, abort.signal)
	announced.push('prompts', 'resources', 'prompts')
	await callAs.modern()
	const heard = () => stream.text.match(/notifications\/\w+\/list_changed/g) ?? []
	const both = ['notifications/prompts/list_changed', 'notifications/resources/list_changed']
	await expect.poll(() => heard().toSorted(), { timeout: 10_000 }).toEqual(both)
	abort.abort()
})

/** The stream of a subscription, as far as it has been read. */
async function listenTo(notifications: object, signal: AbortSignal): Promise<{ text: string }> {
	const method = 'subscriptions/listen'
	const _meta = {
		'io.modelcontextprotocol/protocolVersion': '2026-07-28',
		'io.modelcontextprotocol/clientCapabilities': {},
	}
	const { body } = await fetch(`${gateway.url}/mcp/modern`, {
		method: 'POST',
		signal,
		headers: {
			authorization: `Bearer ${agent.key}`,
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			'mcp-protocol-version': '2026-07-28',
			'mcp-method': method,
		},
		body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta } }),
	})
	const stream = { text: '' }
	const read = async () => {
		for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
			stream.text += Buffer.from(chunk).toString()
	}
	read().catch(() => {})
	await expect.poll(() => stream.text, { timeout: 10_000 }).toContain('acknowledged')
	return stream
}
