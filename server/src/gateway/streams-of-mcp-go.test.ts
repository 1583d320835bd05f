import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireClient } from './testing-client.ts'

/** A server that uses the streams of its sessions like mcp-go 1.2: it has sessions, or one stream for everybody (stateless). */
let isStateless = false
const streams = new Set<ServerResponse>()
const subscribed: (string | undefined)[] = []
const waiting = new Map<string, (answer: object) => void>()
let onStream: () => void = () => {}

function tell(message: object): void {
	for (const stream of streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
}

/** Sampling is requested on the session's stream only, as soon as there is one. */
async function sample(): Promise<string> {
	while (streams.size === 0) await new Promise<void>((done) => (onStream = done))
	const answered = new Promise<object>((done) => waiting.set('ask', done))
	tell({ id: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })
	return JSON.stringify(await answered)
}

const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const session = request.headers['mcp-session-id'] as string | undefined
	if (request.method === 'GET') {
		streams.add(response)
		response.once('close', () => streams.delete(response))
		response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
		return onStream()
	}
	const { id, method, params, ...answer } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
	if (method === undefined) waiting.get(id)?.(answer)
	if (id === undefined || method === undefined) return response.writeHead(202).end()
	const opened = method === 'initialize' && !isStateless ? { 'mcp-session-id': `s${id}` } : {}
	if (method === 'resources/subscribe') subscribed.push(session)
	const text = method === 'tools/call' ? await run(params) : ''
	const capabilities = { tools: {}, resources: { subscribe: true }, logging: {} }
	const results: Record<string, object> = {
		initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } },
		'tools/list': { tools: ['sample', 'tell'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
		'tools/call': { content: [{ type: 'text', text }] },
		'resources/list': { resources: [{ uri: 'x://one', name: '1' }] },
		'resources/subscribe': {},
		'logging/setLevel': {},
	}
	const result = results[method]
	const body = result ? { result } : { error: { code: -32601, message: 'no' } }
	response.writeHead(200, { 'content-type': 'application/json', ...opened })
	response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
})

async function run({ name, _meta }: { name: string; _meta?: { progressToken?: number } }): Promise<string> {
	if (name === 'sample') return sample()
	if (_meta?.progressToken !== undefined)
		tell({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } })
	tell({ method: 'notifications/message', params: { level: 'info', data: 'of one client' } })
	await new Promise((done) => setTimeout(done, 200))
	return 'told'
}

let gateway: TestGateway
let agent: TestAgent

beforeAll(async () => {
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	gateway = await openTestGateway({ slowCallMs: 500 })
	agent = await gateway.addAgent('Rosa')
	for (const name of ['Stateful', 'Stateless']) {
		isStateless = name === 'Stateless'
		const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/${name}`
		await gateway.grant(agent.id, await gateway.addServer(name, url), null)
	}
})
afterAll(async () => {
	await gateway?.close()
	listener.closeAllConnections()
	listener.close()
})
beforeEach(() => {
	subscribed.length = 0
})

async function connect(server: string, capabilities: object): Promise<WireClient> {
	isStateless = server === 'stateless'
	const client = newWireClient(`${gateway.url}/mcp/${server}`, agent.key)
	const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'w', version: '1' } }
	client.session = (await client.request('initialize', params)).headers.get('mcp-session-id') ?? ''
	return client
}

/** Opens the client's own stream, and collects what comes on it until it is stopped. */
function listenAs(client: WireClient, server: string): { got: string[]; stop(): void } {
	const stopping = new AbortController()
	const got: string[] = []
	const headers = { authorization: `Bearer ${agent.key}`, 'mcp-session-id': client.session }
	const read = async () => {
		const options = { headers: { ...headers, accept: 'text/event-stream' }, signal: stopping.signal }
		const { body } = await fetch(`${gateway.url}/mcp/${server}`, options)
		for await (const chunk of body ?? []) got.push(Buffer.from(chunk).toString())
	}
	read().catch(() => {})
	return { got, stop: () => stopping.abort() }
}

it('a request that comes only on the stream of a shared session is refused at once, not when the call times out', async () => {
	const client = await connect('stateful', {})
	const { body } = await client.request('tools/call', { name: 'sample', arguments: {} })
	expect(body.result.content[0].text).toContain('cannot be asked for sampling/createMessage')
	await until(() => streams.size === 0, 10_000)
})

it('short calls in a shared session open no stream', async () => {
	const client = await connect('stateful', {})
	for (let n = 0; n < 3; n += 1) await client.request('tools/list')
	const calls = [1, 2, 3].map(() => client.request('tools/call', { name: 'tell', arguments: {} }))
	const seen: number[] = []
	const watch = setInterval(() => seen.push(streams.size), 20)
	await Promise.all(calls)
	clearInterval(watch)
	expect(Math.max(...seen)).toBe(0)
})

it('logs of one client reach no other client if the server keeps no sessions', async () => {
	const [one, other] = [
		await connect('stateless', { elicitation: {} }),
		await connect('stateless', { elicitation: {} }),
	]
	await other.request('tools/list')
	const { got, stop } = listenAs(other, 'stateless')
	await other.request('tools/call', { name: 'tell', arguments: {} })
	await one.request('tools/call', { name: 'tell', arguments: {} })
	expect(got.join('')).not.toContain('of one client')
	stop()
})

it('a client that can be asked gets progress and changed resources from a server without sessions', async () => {
	const client = await connect('stateless', { elicitation: {} })
	const { got, stop } = listenAs(client, 'stateless')
	await client.request('resources/list')
	await client.request('resources/subscribe', { uri: 'x://one' })
	expect(subscribed).toEqual([undefined])
	await until(() => streams.size > 0, 10_000)
	const call = { name: 'tell', arguments: {}, _meta: { progressToken: 'mine' } }
	const { text } = await client.request('tools/call', call)
	expect(text).toContain('"progressToken":"mine"')
	tell({ method: 'notifications/resources/updated', params: { uri: 'x://one' } })
	await until(() => got.join('').includes('notifications/resources/updated'), 10_000)
	stop()
})
