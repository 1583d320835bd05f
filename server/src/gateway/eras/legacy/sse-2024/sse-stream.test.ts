import { randomBytes } from 'node:crypto'
import { Client as Client2, SSEClientTransport as Sse2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../../../../checks/fixtures/start-fixture.ts'
import { openPostgres } from '../../../../platform/database/open-control-store.ts'
import { openTestPostgres } from '../../../../platform/database/testing.ts'
import { silentLog } from '../../../../platform/log.ts'
import { openTestGateway, openTestGatewayOn, type TestAgent, type TestGateway } from '../../../testing.ts'
import { newWireClient, until } from '../../../testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from '../../../testing-upstream.ts'

let gateway: TestGateway
let slow: ScriptedUpstream
let agent: TestAgent
let slowId: string
const fixtures: Fixture[] = []
const streams: Pick<SseStream, 'end'>[] = []

beforeAll(async () => {
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	for (const era of ['legacy', 'modern'] as const) {
		const fixture = await startFixture(era)
		fixtures.push(fixture)
		await gateway.grant(agent.id, await gateway.addServer(era, fixture.url), null)
	}
	slow = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], () => {})
	slowId = await gateway.addServer('Slow', slow.url)
	await gateway.grant(agent.id, slowId, ['run'])
})
afterEach(() => {
	for (const stream of streams.splice(0)) stream.end()
})
afterAll(async () => {
	await gateway?.close()
	for (const fixture of fixtures) await fixture.close()
	await slow?.close()
})

const introduction = { name: 'old', version: '1' }
const options = { capabilities: { elicitation: {} } }
const stock = {
	'SDK v1': (url: URL, requestInit: RequestInit) => ({
		client: new Client1(introduction, options),
		transport: new Sse1(url, { requestInit }),
	}),
	'SDK v2': (url: URL, requestInit: RequestInit) => ({
		client: new Client2(introduction, options),
		transport: new Sse2(url, { requestInit }),
	}),
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was received.
type Message = any

interface SseStream {
	status: number
	messages: Message[]
	done: Promise<void>
	end(): void
	address(): string
	post(body: object, to?: string, by?: string): Promise<Response>
	/** Sends a request and resolves with its answer from the stream. */
	ask(id: number | string, method: string, params?: object, to?: string): Promise<Message>
	hello(capabilities?: object): Promise<Message>
}

/** Reads a stream of the 2024 transport event by event, and posts to it. */
async function openSseStream(
	url: string,
	key = agent.key,
	more: Record<string, string> = {},
): Promise<SseStream> {
	const authorization = `Bearer ${key}`
	const stop = new AbortController()
	const headers = { accept: 'text/event-stream', authorization, ...more }
	const response = await fetch(url, { headers, signal: stop.signal })
	const messages: Message[] = []
	let endpoint = ''
	const done = (async () => {
		let text = ''
		for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
			text += Buffer.from(chunk).toString()
			const events = text.split('\n\n')
			text = events.pop() ?? ''
			for (const event of events) {
				const data = /^data: (.*)$/m.exec(event)?.[1]
				if (event.startsWith('event: endpoint')) endpoint = data ?? ''
				else if (data) messages.push(JSON.parse(data))
			}
		}
	})().catch(() => {})
	const stream: SseStream = {
		status: response.status,
		messages,
		done,
		end: () => stop.abort(),
		address: () => new URL(endpoint, url).href,
		post: (body, to = stream.address(), by = authorization) =>
			fetch(to, {
				method: 'POST',
				headers: { 'content-type': 'application/json', authorization: by, ...more },
				body: JSON.stringify({ jsonrpc: '2.0', ...body }),
			}),
		ask: async (id, method, params = {}, to = stream.address()) => {
			expect((await stream.post({ id, method, params }, to)).status).toBe(202)
			await until(() => messages.some((message) => message.id === id && !message.method), 10_000)
			return messages.find((message) => message.id === id && !message.method)
		},
		hello: (capabilities = {}) =>
			stream.ask(0, 'initialize', {
				...{ protocolVersion: '2024-11-05', capabilities, clientInfo: { name: 'wire', version: '1' } },
			}),
	}
	streams.push(stream)
	if (response.ok) await until(() => endpoint !== '', 5000)
	return stream
}

describe.each(Object.keys(stock) as (keyof typeof stock)[])('a client of HTTP+SSE by %s', (sdk) => {
	it.each(['/mcp', '/mcp/legacy', '/mcp/modern', '/mcp-key/legacy'])(
		'lists, calls and is asked at %s',
		async (path) => {
			const init = { headers: { authorization: `Bearer ${agent.key}` } }
			const { client, transport } = stock[sdk](new URL(gateway.url + path), init)
			await answerForms(client, { username: 'rosa', email: 'r@example.org' })
			await client.connect(transport as never)
			const names = (await client.listTools()).tools.map(({ name }) => name)
			const called = (name: string) =>
				names.find((each) => each === name || each === `legacy__${name}`) as string
			const plain = await client.callTool({ name: called('test_simple_text'), arguments: {} })
			expect(JSON.stringify(plain)).toContain('simple text')
			const asked = await client.callTool({
				name: called('test_elicitation'),
				arguments: { message: 'Who?' },
			})
			expect(JSON.stringify(asked)).toContain('rosa')
			expect((await client.listResources()).resources.length).toBeGreaterThan(0)
			await client.close()
		},
	)
})

/** The two SDK versions name requests differently. */
async function answerForms(client: Client1 | Client2, content: Record<string, string>): Promise<void> {
	const answer = async () => ({ action: 'accept' as const, content })
	if (client instanceof Client1) client.setRequestHandler(ElicitRequestSchema, answer)
	else client.setRequestHandler('elicitation/create', answer)
}

describe('the stream of a 2024 session', () => {
	const url = () => `${gateway.url}/mcp/slow`

	it("says where to post, as an absolute path, and carries all answers in the era's form", async () => {
		const stream = await openSseStream(`${gateway.url}/mcp/legacy/`)
		expect(new URL(stream.address()).pathname).toBe('/mcp/legacy/')
		const { result } = await stream.hello()
		expect(result.protocolVersion).toBe('2024-11-05')
		expect(await stream.ask('a', 'ping')).toMatchObject({ result: {} })
		const { error } = await stream.ask(2, 'tools/call', { name: 'nothing' })
		expect(error.data.code).toBe('tool_not_granted')
	})

	it('tells a client that asks for the modern era first, as the Go SDK does, that there is none', async () => {
		const stream = await openSseStream(`${gateway.url}/mcp/legacy`)
		const _meta = {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientInfo': { name: 'go', version: '1' },
			'io.modelcontextprotocol/clientCapabilities': {},
		}
		expect(await stream.ask(1, 'server/discover', { _meta })).toMatchObject({ error: { code: -32601 } })
		expect((await stream.hello()).result.protocolVersion).toBe('2024-11-05')
		expect((await stream.ask(2, 'tools/list')).result.tools.length).toBeGreaterThan(0)
	})

	it('carries progress before the answer', async () => {
		const stream = await openSseStream(`${gateway.url}/mcp/legacy`)
		await stream.hello()
		await stream.ask(5, 'tools/call', {
			name: 'test_tool_with_progress',
			arguments: {},
			_meta: { progressToken: 'p' },
		})
		const progress = stream.messages.filter(({ method }) => method === 'notifications/progress')
		expect(progress.length).toBeGreaterThan(0)
		expect(progress.every(({ params }) => params.progressToken === 'p')).toBe(true)
	})

	it('is private: nobody else can post to it, and a session of streamable HTTP cannot be used for it', async () => {
		const stream = await openSseStream(url())
		await stream.hello()
		const stranger = await gateway.addAgent('Otto')
		await gateway.grant(stranger.id, slowId, ['run'])
		const ping = { id: 1, method: 'ping' }
		expect((await stream.post(ping, stream.address(), `Bearer ${stranger.key}`)).status).toBe(404)
		expect((await stream.post(ping, stream.address().replace(/.$/, '!'))).status).toBe(404)
		const other = newWireClient(url(), agent.key)
		await other.initialize()
		expect((await stream.post(ping, `${url()}?session_id=${other.session}`)).status).toBe(404)
	})

	it('ends its session and running calls when it closes, also at the server', async () => {
		const stream = await openSseStream(url())
		await stream.hello()
		const before = slow.closedEarly
		slow.received.length = 0
		await stream.post({ id: 9, method: 'tools/call', params: { name: 'run' } })
		await until(() => slow.calls().length === 1, 5000)
		stream.end()
		await until(() => slow.closedEarly > before, 5000)
		await until(async () => (await stream.post({ id: 1, method: 'ping' })).status === 404, 5000)
	})

	it('handles a cancellation, and a grant that expires during a call', async () => {
		const stream = await openSseStream(url())
		await stream.hello()
		slow.received.length = 0
		const before = slow.closedEarly
		await stream.post({ id: 3, method: 'tools/call', params: { name: 'run' } })
		await until(() => slow.calls().length === 1, 5000)
		await stream.post({ method: 'notifications/cancelled', params: { requestId: 3 } })
		await until(() => slow.closedEarly > before, 5000)
		const asked = stream.ask(4, 'tools/call', { name: 'run' })
		await until(() => slow.calls().length === 2, 5000)
		const { access } = await gateway.manage('GET', `/v1/mcp/servers/${slowId}/access`)
		const { id } = access.find((grant: { agent: { uuid: string } }) => grant.agent.uuid === agent.id)
		const path = `/v1/mcp/servers/${slowId}/access/${agent.id}`
		await gateway.manage('PATCH', path, { allowed_tools: [] })
		expect((await asked).error.data.code).toBe('call_cut')
		await gateway.manage('PATCH', path, { allowed_tools: ['run'] })
		expect(id).toBeTruthy()
	})

	it('ends when its agent is paused', async () => {
		const rosa = await gateway.addAgent('Paused')
		const stream = await openSseStream(`${gateway.url}/mcp`, rosa.key)
		await gateway.manage('POST', `/v1/agents/${rosa.id}/pause`)
		await stream.done
	})

	it('notifies of changed lists once it was used, not beside the session that the Java SDK opens after such a stream', async () => {
		const java = await gateway.addAgent('Java')
		const unused = await openSseStream(`${gateway.url}/mcp`, java.key, {
			'mcp-protocol-version': '2025-11-25',
		})
		const used = await openSseStream(`${gateway.url}/mcp`, java.key)
		await used.hello()
		const changes = ({ messages }: SseStream) => messages.filter(({ method }) => /list_changed$/.test(method))
		await gateway.grant(java.id, slowId, ['run'])
		await until(() => changes(used).length > 0, 10_000)
		expect(changes(unused)).toEqual([])
		await unused.hello()
		await gateway.manage('PATCH', `/v1/mcp/servers/${slowId}/access/${java.id}`, { allowed_tools: [] })
		await until(() => changes(unused).length > 0, 10_000)
	})

	it('also serves clients that send a version header', async () => {
		const version = { 'mcp-protocol-version': '2025-11-25' }
		const stream = await openSseStream(`${gateway.url}/mcp/legacy/`, agent.key, version)
		expect((await stream.hello()).result.protocolVersion).toBe('2024-11-05')
		expect(await stream.ask('a', 'ping')).toMatchObject({ result: {} })
	})

	it('is only for requests without a session and without a version that has no such stream', async () => {
		const headers = { accept: 'text/event-stream', authorization: `Bearer ${agent.key}` }
		const status = async (more: object) => (await fetch(url(), { headers: { ...headers, ...more } })).status
		expect(await status({ 'mcp-protocol-version': '2025-99-99' })).toBe(400)
		expect(await status({ 'mcp-session-id': 'nothing' })).toBe(404)
		expect(await status({ 'mcp-protocol-version': '2026-07-28' })).toBe(405)
		expect(await status({ accept: 'application/json' })).toBe(405)
	})
})

it('gets answers from another process on the store', async () => {
	const masterKey = randomBytes(32)
	const database = await openTestPostgres()
	const store = await openPostgres(database.url, silentLog)
	const first = await openTestGatewayOn(database.store, {}, undefined, { masterKey })
	const second = await openTestGatewayOn(store, {}, undefined, { masterKey, withoutOwner: true })
	const upstream = await startScriptedUpstream(
		[{ name: 'run', inputSchema: {} }],
		({ id, params }, response) => {
			if ((params.arguments as { hang?: boolean })?.hang) return
			sendText(response, id, 'ran')
		},
	)
	const rosa = await first.addAgent('Rosa')
	await first.grant(rosa.id, await first.addServer('Slow', upstream.url), null)
	await second.feed.catchUp()
	const stream = await openSseStream(`${first.url}/mcp/slow`, rosa.key)
	const there = stream.address().replace(first.url, second.url)
	const params = {
		protocolVersion: '2024-11-05',
		capabilities: {},
		clientInfo: { name: 'far', version: '1' },
	}
	expect((await stream.ask(0, 'initialize', params, there)).result.protocolVersion).toBe('2024-11-05')
	expect((await stream.ask(1, 'tools/call', { name: 'run' }, there)).result.content[0].text).toBe('ran')
	expect((await stream.ask(2, 'tools/call', { name: 'run' })).result.content[0].text).toBe('ran')
	await stream.post(
		{ id: 3, method: 'tools/call', params: { name: 'run', arguments: { hang: true } } },
		there,
	)
	await until(() => upstream.calls().length === 3, 5000)
	stream.end()
	await until(() => upstream.closedEarly === 1, 10_000)
	await second.close()
	await first.close()
	await store.close()
	await database.end()
	await upstream.close()
})
