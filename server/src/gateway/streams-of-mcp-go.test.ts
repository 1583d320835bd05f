import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireClient } from './testing-client.ts'

/** A server that uses the streams of its sessions like mcp-go 1.2: it has sessions, or one stream for everybody (stateless). */
let isStateless = false
const streams = new Map<ServerResponse, string | undefined>()
const subscribed: (string | undefined)[] = []
const waiting = new Map<string, (answer: object) => void>()
let onStream: () => void = () => {}

function tell(message: object, session?: string): void {
	for (const [stream, of] of streams)
		if (session === undefined || of === session)
			stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
}

/** Sampling is requested on the session's stream only, as soon as there is one. */
async function sample(session: string | undefined): Promise<string> {
	while (![...streams.values()].includes(session)) await new Promise<void>((done) => (onStream = done))
	const answered = new Promise<object>((done) => waiting.set('ask', done))
	tell({ id: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }, session)
	return JSON.stringify(await answered)
}

const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const session = request.headers['mcp-session-id'] as string | undefined
	if (request.method === 'GET') {
		streams.set(response, session)
		response.once('close', () => streams.delete(response))
		response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
		return onStream()
	}
	const { id, method, params, ...answer } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
	if (method === undefined) waiting.get(id)?.(answer)
	if (id === undefined || method === undefined) return response.writeHead(202).end()
	const opened = method === 'initialize' && !isStateless ? { 'mcp-session-id': `s${id}` } : {}
	if (method === 'resources/subscribe') subscribed.push(session)
	const text = method === 'tools/call' ? await run(params, session) : ''
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

interface Call {
	name: string
	arguments: { afterMs?: number }
	_meta?: { progressToken?: number }
}

async function run({ name, arguments: { afterMs = 0 }, _meta }: Call, session?: string): Promise<string> {
	if (afterMs > 0) await new Promise((done) => setTimeout(done, afterMs))
	if (name === 'sample') return sample(session)
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

/** Opens the client's own stream, or that of a call, and collects what comes on it until it is stopped. */
function listenAs(client: WireClient, server: string, call?: Call): { got: string[]; stop(): void } {
	const stopping = new AbortController()
	const got: string[] = []
	const headers = {
		...{ authorization: `Bearer ${agent.key}`, 'mcp-session-id': client.session },
		...{ accept: `text/event-stream${call ? ', application/json' : ''}`, 'content-type': 'application/json' },
	}
	const message = { jsonrpc: '2.0', id: call && JSON.stringify(call), method: 'tools/call', params: call }
	const sent = call && { method: 'POST', body: JSON.stringify(message) }
	const read = async () => {
		const options = { ...sent, headers, signal: stopping.signal }
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

/** Three calls run, and the server asks for the first; nothing says so. */
async function askDuringCalls(hasStream: boolean) {
	const client = await connect('stateful', { sampling: {} })
	const own = hasStream ? listenAs(client, 'stateful') : null
	const sampling = listenAs(client, 'stateful', { name: 'sample', arguments: { afterMs: 300 } })
	await until(() => streams.size > 0, 10_000)
	const others = [3000, 4000].map((afterMs) =>
		listenAs(client, 'stateful', { name: 'tell', arguments: { afterMs } }),
	)
	const idsOn = ({ got }: { got: string[] }) =>
		[...got.join('').matchAll(/"id":"(ask-[^"]+)","method":"sampling/g)].map(([, id]) => id)
	const isAskedOn = (stream: { got: string[] }) => until(() => idsOn(stream).length > 0, 10_000)
	const answer = (id: string | undefined) =>
		client.post({ jsonrpc: '2.0', id, result: { role: 'assistant', model: 'm', content: [] } })
	const end = () => {
		for (const stream of [own, sampling, ...others]) stream?.stop()
	}
	return { own, sampling, others, idsOn, isAskedOn, answer, end }
}

it('a client with a stream of its own is asked there if any of several calls may be the one that asks', async () => {
	const { own, sampling, others, idsOn, isAskedOn, answer, end } = await askDuringCalls(true)
	if (!own) throw new Error('no stream')
	await isAskedOn(own)
	for (const stream of [sampling, ...others]) expect(idsOn(stream)).toEqual([])
	// The calls that did not ask are cancelled, which takes nothing from the one that did.
	for (const stream of others) stream.stop()
	await answer(idsOn(own)[0])
	await until(() => sampling.got.join('').includes('assistant'), 10_000)
	end()
})

it('a request on the stream of a call that is cancelled at once is sent again for another call, and answered once', async () => {
	const { sampling, others, idsOn, isAskedOn, answer, end } = await askDuringCalls(false)
	const asked = await Promise.any(others.map((stream) => isAskedOn(stream).then(() => stream)))
	const [rest] = others.filter((stream) => stream !== asked)
	if (!rest) throw new Error('no other call')
	asked.stop()
	await isAskedOn(rest)
	await answer(idsOn(rest)[0])
	await until(() => sampling.got.join('').includes('assistant'), 10_000)
	// The client may have read the first one, too, and is told to drop it.
	expect(rest.got.join('')).toContain(`"requestId":"${idsOn(asked)[0]}"`)
	end()
})
