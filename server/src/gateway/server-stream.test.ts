import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient } from './testing-client.ts'

/** What a server receives, in order. Each request has a connection of its own. */
const got: string[] = []
let stream: ServerResponse | null = null
/** All streams that are open: of the session that clients share, and of clients' own sessions. */
const streams = new Set<ServerResponse>()
/** Statuses with which the next requests for a stream are refused. */
const refusals: number[] = []
const tools: object[] = [{ name: 'run', inputSchema: { type: 'object' } }]
const templates = [{ uriTemplate: 'x://{id}', name: 'by id' }]
/** The URIs that clients subscribed to, those whose next subscription gets HTTP 503, and sessions that the server has forgotten. */
const subscribed = {
	calls: [] as string[],
	unavailable: new Set<string>(),
	lostSessions: new Set<unknown>(),
	session: '',
}
/** Receives the client's answer to a request of the server. */
let onAnswer = (_answered: object) => {}
/** How long the calls with `arguments.held` wait. */
let held = Promise.resolve()
/** Sends a notification on the session's stream, as a server does that knows no streams of calls. */
function tellAside(method: string, params: object): void {
	stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`)
}
/** Sends progress and a log on the session's stream, as mcp-go and Arcade do. */
async function tellProgress(progressToken: number): Promise<void> {
	for (const progress of [1, 2, 3]) {
		const params = { progressToken, progress, total: 3 }
		stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`)
	}
	tellAside('notifications/message', { level: 'info', data: 'during the call' })
	const other = { progressToken: progressToken + 1, progress: 1 }
	stream?.write(
		`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: other })}\n\n`,
	)
	await new Promise((resolve) => setTimeout(resolve, 200))
}
const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	got.push(request.method === 'GET' ? 'GET' : '')
	const at = got.length - 1
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const refusal = request.method === 'GET' ? refusals.shift() : undefined
	if (refusal !== undefined) return response.writeHead(refusal).end()
	if (request.method === 'GET') {
		stream = response
		streams.add(response)
		response.once('close', () => streams.delete(response))
		return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
	}
	const { id, method, params, ...answered } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
	got[at] = method ?? request.method
	if (request.method === 'POST' && method === undefined) onAnswer(answered)
	if (id === undefined || method === undefined) return response.writeHead(202).end()
	if (subscribed.lostSessions.has(request.headers['mcp-session-id'])) return response.writeHead(404).end()
	if (method === 'resources/subscribe') {
		subscribed.calls.push(params.uri)
		subscribed.session = String(request.headers['mcp-session-id'])
		if (subscribed.unavailable.delete(params.uri)) return response.writeHead(503).end()
	}
	const capabilities = { tools: {}, resources: { subscribe: true }, logging: {} }
	const results: Record<string, object> = {
		initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } },
		'tools/list': { tools },
		'tools/call': { content: [] },
		'resources/list': {
			resources: [
				{ uri: 'x://one', name: '1' },
				{ uri: 'x://two', name: '2' },
			],
		},
		'resources/templates/list': { resourceTemplates: templates },
		'resources/subscribe': {},
		'logging/setLevel': {},
	}
	const result = results[method]
	if (method === 'tools/call' && params._meta?.progressToken !== undefined)
		await tellProgress(params._meta.progressToken)
	if (method === 'tools/call' && params.arguments?.held) await held
	if (method === 'tools/call' && params.arguments?.adds) {
		tools.push({ name: params.arguments.adds, inputSchema: { type: 'object' } })
		response.writeHead(200, { 'content-type': 'text/event-stream' })
		response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
		return response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
	}
	const opened = method === 'initialize' ? { 'mcp-session-id': `s${id}` } : {}
	response.writeHead(200, { 'content-type': 'application/json', ...opened })
	const answer = result ? { result } : { error: { code: -32601, message: 'no' } }
	response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
let gateway: TestGateway
let agent: TestAgent
let serverId: string

beforeAll(async () => {
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	serverId = await gateway.addServer('Asking', url)
	await gateway.grant(agent.id, serverId, null)
})
afterAll(async () => {
	await gateway?.close()
	listener.closeAllConnections()
	listener.close()
})

/** A client with a session. */
async function clientThatCanBeAsked() {
	const client = newWireClient(`${gateway.url}/mcp/asking`, agent.key)
	const clientInfo = { name: 'w', version: '1' }
	const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo }
	client.session = (await client.request('initialize', params)).headers.get('mcp-session-id') ?? ''
	return client
}

it('is opened before the first call of a client that can be asked, since its server may ask there at once', async () => {
	for (let round = 0; round < 5; round += 1) {
		const client = await clientThatCanBeAsked()
		got.length = 0
		await client.request('tools/call', { name: 'run' })
		expect(got).toEqual(['initialize', 'notifications/initialized', 'GET', 'tools/call'])
	}
})

it('may carry the progress of a call that is answered elsewhere', async () => {
	const client = await clientThatCanBeAsked()
	// The first call opens the session with the server, the second one uses it.
	for (let round = 0; round < 2; round += 1) {
		const { text } = await client.request('tools/call', { name: 'run', _meta: { progressToken: 'mine' } })
		const told = text.split('\n').filter((line) => line.startsWith('data: ') && line.includes('/progress'))
		expect(told.map((line) => JSON.parse(line.slice(6)).params)).toEqual(
			[1, 2, 3].map((progress) => ({ progressToken: 'mine', progress, total: 3 })),
		)
		expect(text.match(/during the call/g)).toHaveLength(1)
	}
})

it('may carry a request of the server, which a client can answer also after the other calls have ended', async () => {
	const client = await clientThatCanBeAsked()
	const answers: object[] = []
	onAnswer = (answered) => answers.push(answered)
	const first = Promise.withResolvers<void>()
	held = first.promise
	got.length = 0
	const asking = client.request('tools/call', { name: 'run', arguments: { held: true } }, 1)
	await expect.poll(() => got).toContain('tools/call')
	const second = Promise.withResolvers<void>()
	held = second.promise
	got.length = 0
	const other = client.request('tools/call', { name: 'run', arguments: { held: true } }, 2)
	await expect.poll(() => got).toContain('tools/call')
	const question = {
		method: 'elicitation/create',
		params: { message: '?', requestedSchema: { type: 'object' } },
	}
	stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'q', ...question })}\n\n`)
	await new Promise((resolve) => setTimeout(resolve, 100))
	second.resolve()
	const id = /"id":"(ask-[^"]+)"/.exec((await other).text)?.[1]
	expect(answers).toEqual([])
	await client.post({ jsonrpc: '2.0', id, result: { action: 'decline' } })
	await expect.poll(() => answers).toEqual([{ jsonrpc: '2.0', result: { action: 'decline' } }])
	first.resolve()
	expect((await asking).body.result).toEqual({ content: [] })
})

it('may carry the logs of a call of a modern client, which gets those that it asked for', async () => {
	const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
	const client = newWireClient(`${gateway.url}/mcp/asking`, agent.key)
	for (const [level, count] of [
		['info', 1],
		['error', 0],
	] as const) {
		const meta = { ...capabilities, 'io.modelcontextprotocol/logLevel': level, progressToken: 'mine' }
		const { text } = await client.modern('tools/call', { name: 'run' }, {}, meta)
		expect(text.match(/during the call/g) ?? []).toHaveLength(count)
	}
})

it('carries logs and finished pages outside a call to the one client of the session, once', async () => {
	const open = async () => {
		const client = await clientThatCanBeAsked()
		const listening = await fetch(`${gateway.url}/mcp/asking`, {
			headers: {
				authorization: `Bearer ${agent.key}`,
				'mcp-session-id': client.session,
				accept: 'text/event-stream',
			},
		})
		let text = ''
		const reader = listening.body?.pipeThrough(new TextDecoderStream()).getReader()
		const read = async (): Promise<void> => {
			const { value, done } = (await reader?.read()) ?? { done: true }
			text += value ?? ''
			if (!done) await read()
		}
		void read().catch(() => {})
		for (const uri of ['x://one', 'x://two']) await client.request('resources/subscribe', { uri })
		await client.request('logging/setLevel', { level: 'warning' })
		await client.request('tools/call', { name: 'run' })
		return { text: () => text, close: () => reader?.cancel() }
	}
	const other = await open()
	const one = await open()
	tellAside('notifications/message', { level: 'error', data: 'a log' })
	tellAside('notifications/message', { level: 'info', data: 'too fine' })
	tellAside('notifications/elicitation/complete', { elicitationId: 'page' })
	await expect.poll(one.text, { timeout: 10_000 }).toContain('"elicitationId":"page"')
	expect(one.text().match(/a log/g)).toHaveLength(1)
	expect(one.text()).not.toContain('too fine')
	expect(other.text()).not.toContain('a log')
	await Promise.all([one.close(), other.close()])
})

it('has no subscription that the client may not have, is closed while it may not use the server, and for good when that is deleted', async () => {
	const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	const id = await gateway.addServer('Leaving', url)
	await gateway.grant(agent.id, id, null)
	const before = streams.size
	const client = newWireClient(`${gateway.url}/mcp/leaving`, agent.key)
	await client.initialize()
	await client.request('resources/subscribe', { uri: 'x://one' })
	await expect.poll(() => streams.size).toBe(before + 1)
	const access = `/access/${agent.id}`
	for (const [path, change, isBack] of [
		['', { status: 'inactive' }, false],
		['', { status: 'active' }, true],
		[access, { access_mode: 'selected', allowed_tools: [], allowed_resources: ['x://other'] }, false],
		[access, { allowed_resources: ['x://one'] }, true],
	] as const) {
		got.length = 0
		await gateway.manage('PATCH', `/v1/mcp/servers/${id}${path}`, change)
		await expect.poll(() => got).toContain(isBack ? 'resources/subscribe' : 'resources/unsubscribe')
		if (path === '') await expect.poll(() => streams.size).toBe(before + (isBack ? 1 : 0))
	}
	await gateway.manage('DELETE', `/v1/mcp/servers/${id}?force=true`)
	await expect.poll(() => streams.size).toBe(before)
})

it('keeps a subscription if the server is unavailable when it comes back', async () => {
	const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	const id = await gateway.addServer('Returning', url)
	await gateway.grant(agent.id, id, null)
	const client = newWireClient(`${gateway.url}/mcp/returning`, agent.key)
	await client.initialize()
	await client.request('resources/subscribe', { uri: 'x://two' })
	await gateway.manage('PATCH', `/v1/mcp/servers/${id}`, { status: 'inactive' })
	subscribed.calls.length = 0
	subscribed.unavailable.add('x://two')
	await gateway.manage('PATCH', `/v1/mcp/servers/${id}`, { status: 'active' })
	await expect.poll(() => subscribed.calls).toEqual(['x://two'])
	await gateway.addAgent('Somebody else')
	await expect.poll(() => subscribed.calls).toEqual(['x://two', 'x://two'])
	await gateway.manage('DELETE', `/v1/mcp/servers/${id}?force=true`)
})

it('is replaced with its subscriptions when the server has forgotten the session, also if that fails at first', async () => {
	const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	const id = await gateway.addServer('Forgetting', url)
	await gateway.grant(agent.id, id, null)
	const client = newWireClient(`${gateway.url}/mcp/forgetting`, agent.key)
	await client.initialize()
	await client.request('resources/subscribe', { uri: 'x://one' })
	subscribed.lostSessions.add(subscribed.session)
	subscribed.calls.length = 0
	subscribed.unavailable.add('x://one')
	expect((await client.request('resources/subscribe', { uri: 'x://two' })).body.result).toEqual({})
	await expect.poll(() => [...subscribed.calls].sort()).toEqual(['x://one', 'x://one', 'x://two'])
	subscribed.lostSessions.clear()
	await gateway.manage('DELETE', `/v1/mcp/servers/${id}?force=true`)
})

it('may announce a changed list only on the session of the call that changed it, as FastMCP does', async () => {
	for (const name of ['tools', 'prompts', 'resources']) {
		const client = await clientThatCanBeAsked()
		const headers = { authorization: `Bearer ${agent.key}`, 'mcp-session-id': client.session }
		const listening = await fetch(`${gateway.url}/mcp/asking`, {
			headers: { ...headers, accept: 'text/event-stream' },
		})
		const told = listening.body?.pipeThrough(new TextDecoderStream()).getReader()
		// The stream that the server opened last belongs to the session of this client.
		await client.request('tools/call', { name: 'run' })
		if (name === 'tools') tools.push({ name: 'later', inputSchema: { type: 'object' } })
		stream?.write(`data: {"jsonrpc":"2.0","method":"notifications/${name}/list_changed"}\n\n`)
		let text = ''
		while (!text.includes(`notifications/${name}/list_changed`)) text += (await told?.read())?.value
		await told?.cancel()
	}
	const known = await gateway.manage('GET', `/v1/mcp/servers/${serverId}/tools`)
	expect(known.tools.map((tool: { name: string }) => tool.name)).toEqual(['run', 'later'])
})

it.each(['prompts', 'resources'])(
	'announces changed %s on every session, and a client hears of it once',
	async (name) => {
		const client = await clientThatCanBeAsked()
		const headers = { authorization: `Bearer ${agent.key}`, 'mcp-session-id': client.session }
		const listening = await fetch(`${gateway.url}/mcp/asking`, {
			headers: { ...headers, accept: 'text/event-stream' },
		})
		const told = listening.body?.pipeThrough(new TextDecoderStream()).getReader()
		const templatesNow = async () =>
			(await client.request('resources/templates/list')).body.result.resourceTemplates
		expect(await templatesNow()).toEqual(templates)
		if (name === 'resources') templates.push({ uriTemplate: 'x://{id}/new', name: 'added' })
		await client.request('tools/call', { name: 'run' })
		await expect.poll(() => streams.size, { timeout: 10_000 }).toBeGreaterThan(1)
		for (const each of streams)
			each.write(`data: {"jsonrpc":"2.0","method":"notifications/${name}/list_changed"}\n\n`)
		await new Promise((resolve) => setTimeout(resolve, 300))
		tellAside('notifications/message', { level: 'error', data: 'the end' })
		let text = ''
		while (!text.includes('the end')) text += (await told?.read())?.value
		await told?.cancel()
		expect(text.match(/list_changed/g)).toHaveLength(1)
		// A server announces a change of its templates as one of its resources.
		expect(await templatesNow()).toEqual(templates)
	},
)

it('announces so during the call of a modern client, too: its tools are read again at once', async () => {
	const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
	const client = newWireClient(`${gateway.url}/mcp/asking`, agent.key)
	await client.modern('tools/call', { name: 'run' }, {}, meta)
	tools.push({ name: 'latest', inputSchema: { type: 'object' } })
	stream?.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
	const known = () => gateway.manage('GET', `/v1/mcp/servers/${serverId}/tools`)
	await expect
		.poll(async () => (await known()).tools.map((tool: { name: string }) => tool.name), { timeout: 10_000 })
		.toContain('latest')
})

it('is not needed to hear of tools that a call added and announced on its own stream', async () => {
	// Nobody listens to this server yet.
	const id = await gateway.addServer(
		'Alone',
		`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
	)
	await gateway.grant(agent.id, id, null)
	const client = newWireClient(`${gateway.url}/mcp/alone`, agent.key)
	await client.modern('tools/call', { name: 'run', arguments: { adds: 'from a call' } })
	const known = () => gateway.manage('GET', `/v1/mcp/servers/${id}/tools`)
	await expect
		.poll(async () => (await known()).tools.map((tool: { name: string }) => tool.name), { timeout: 10_000 })
		.toContain('from a call')
})

it('is opened again after a proxy refused it, as during a restart of the server', async () => {
	refusals.push(503)
	const client = await clientThatCanBeAsked()
	got.length = 0
	await client.request('tools/call', { name: 'run' })
	await expect.poll(() => got.filter((each) => each === 'GET'), { timeout: 10_000 }).toHaveLength(2)
})

it('is opened in another session if the server opens no second stream in one, as the SDK for Go may', async () => {
	const id = await gateway.addServer(
		'Once',
		`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
	)
	await gateway.grant(agent.id, id, null)
	const listen = async () => {
		const client = newWireClient(`${gateway.url}/mcp/once`, agent.key)
		await client.initialize()
		const headers = { authorization: `Bearer ${agent.key}`, 'mcp-session-id': client.session }
		const { body } = await fetch(`${gateway.url}/mcp/once`, {
			headers: { ...headers, accept: 'text/event-stream' },
		})
		return { client, reader: body?.pipeThrough(new TextDecoderStream()).getReader() }
	}
	const before = streams.size
	const first = await listen()
	await expect.poll(() => streams.size, { timeout: 10_000 }).toBe(before + 1)
	await fetch(`${gateway.url}/mcp/once`, {
		method: 'DELETE',
		headers: { authorization: `Bearer ${agent.key}`, 'mcp-session-id': first.client.session },
	})
	await expect.poll(() => streams.size, { timeout: 10_000 }).toBe(before)
	refusals.push(400)
	got.length = 0
	const second = await listen()
	await expect.poll(() => streams.size, { timeout: 10_000 }).toBe(before + 1)
	expect(got.filter((each) => each === 'GET' || each === 'initialize')).toEqual(['GET', 'initialize', 'GET'])
	await second.reader?.cancel()
})
