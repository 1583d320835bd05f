import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Cancellation, RpcFailure } from '../mcp-client/index.ts'
import { systemClock } from '../platform/clock.ts'
import { LegacyInputRequests } from './eras/legacy/legacy-input-requests.ts'
import type { ClientSession } from './eras/legacy/session-store.ts'
import { understands } from './input-requests.ts'
import { defaultLimits } from './limits.ts'
import type { Operation } from './operation.ts'
import { openTestGateway, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireClient } from './testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from './testing-upstream.ts'

const tool = {
	name: 'echo',
	title: 'Echo',
	inputSchema: { type: 'object' },
	execution: { taskSupport: 'forbidden' },
	'x-unknown': [1, { a: null }],
}

let gateway: TestGateway
let upstream: ScriptedUpstream
let rosa: { id: string; key: string }
let bert: { id: string; key: string }
let serverId: string
let client: WireClient
const to = (agent: { key: string }, path = '/mcp/tools') => newWireClient(gateway.url + path, agent.key)

beforeAll(async () => {
	gateway = await openTestGateway({ bodyBytes: 4096 })
	upstream = await startScriptedUpstream(
		[tool, { name: 'other', inputSchema: {} }],
		({ id, params }, response) => {
			const text = JSON.stringify(params.arguments)
			if (text !== '{"hang":true}') sendText(response, id, text)
		},
	)
	rosa = await gateway.addAgent('Rosa')
	bert = await gateway.addAgent('Bert')
	serverId = await gateway.addServer('Tools', upstream.url, {
		authorization: 'Bearer upstream-secret',
		'x-tenant': 't1',
	})
	await gateway.grant(rosa.id, serverId, ['echo'])
	await gateway.grant(bert.id, serverId, ['other'])
})
beforeEach(async () => {
	client = to(rosa)
	await client.initialize()
})
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

describe('a handshake', () => {
	it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('agrees on %s', async (version) => {
		expect((await to(rosa).initialize(version)).body.result).toMatchObject({
			protocolVersion: version,
			capabilities: { tools: { listChanged: true } },
		})
	})
	it('offers the newest version with a handshake for one that it does not speak', async () => {
		expect((await to(rosa).initialize('2026-07-28')).body.result.protocolVersion).toBe('2025-11-25')
	})
	it('answers a ping and takes notifications', async () => {
		expect((await client.request('ping')).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
		expect((await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
	})
})

describe('a session', () => {
	it('is needed (400) and must be known (404)', async () => {
		const stranger = to(rosa)
		expect((await stranger.request('tools/list')).status).toBe(400)
		stranger.session = 'AAAAAAAAAAAAAAAAAAAAAA.00000000000000000000000000000000'
		expect(await stranger.request('tools/list')).toMatchObject({
			status: 404,
			body: { error: { code: -32001 } },
		})
	})
	it('answers a request with wrong parameters in HTTP 200, because some clients end their connection at 400', async () => {
		const methods = ['resources/subscribe', 'resources/unsubscribe', 'resources/read', 'prompts/get']
		for (const method of [...methods, 'tools/call', 'completion/complete', 'logging/setLevel', 'tasks/get'])
			expect(await client.request(method), method).toMatchObject({
				status: 200,
				body: { error: { code: -32602 } },
			})
	})
	it('belongs to its agent, key and endpoint', async () => {
		for (const thief of [to(bert), to(rosa, '/mcp'), to(bert, '/mcp')]) {
			thief.session = client.session
			expect((await thief.request('tools/list')).status).toBe(404)
		}
		expect((await client.request('tools/list')).status).toBe(200)
	})
	it('outlives a restart, and then still belongs to its agent', async () => {
		await gateway.restart()
		const thief = to(bert)
		thief.session = client.session
		expect((await thief.request('tools/list')).status).toBe(404)
		expect(
			(await client.request('tools/call', { name: 'echo', arguments: { a: 1 } })).body.result.content[0].text,
		).toBe('{"a":1}')
	})
	it('ends with DELETE', async () => {
		const headers = { authorization: `Bearer ${rosa.key}`, 'mcp-session-id': client.session }
		expect((await fetch(`${gateway.url}/mcp/tools`, { method: 'DELETE', headers })).status).toBe(204)
		expect((await client.request('tools/list')).status).toBe(404)
	})
	it('takes its running calls with it, and their server is told', async () => {
		const before = upstream.received.length
		const running = client.request('tools/call', { name: 'echo', arguments: { hang: true } })
		const got = (method: string) =>
			upstream.received.slice(before).find((message) => message.method === method)
		await expect.poll(() => got('tools/call')).toBeDefined()
		const headers = { authorization: `Bearer ${rosa.key}`, 'mcp-session-id': client.session }
		await fetch(`${gateway.url}/mcp/tools`, { method: 'DELETE', headers })
		expect((await running).body).toBeNull()
		await expect.poll(() => got('notifications/cancelled')?.params.requestId).toBe(got('tools/call')?.id)
	})
})

describe('a message in transit', () => {
	it('keeps every field of a definition', async () => {
		expect((await client.request('tools/list')).body.result).toEqual({ tools: [tool] })
	})
	it('accepts null instead of arguments, and the server gets none', async () => {
		expect((await client.post(call('{"name":"echo","arguments":null}'))).body.result).toBeDefined()
		expect(upstream.received.at(-1)?.text).not.toContain('arguments')
	})
	it('keeps numbers that JavaScript would change', async () => {
		const body =
			'{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"echo","arguments":{"n":12345678901234567890,"f":1.50,"e":1E400}}}'
		const answer = await client.post(body)
		expect(answer.text).toContain('"id":12345678901234567890,')
		expect(upstream.received.at(-1)?.text).toContain(
			'"arguments":{"n":12345678901234567890,"f":1.50,"e":1E400}',
		)
	})
	it("carries the configured headers to the server, never the caller's credential", async () => {
		await client.post(
			{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } },
			{ cookie: 'a=b', 'x-signalbox-agent': 'x' },
		)
		const headers = upstream.received.at(-1)?.headers ?? {}
		expect(headers).toMatchObject({ authorization: 'Bearer upstream-secret', 'x-tenant': 't1' })
		expect(JSON.stringify(upstream.received)).not.toContain(rosa.key)
		expect(headers.cookie ?? headers['x-signalbox-agent']).toBeUndefined()
	})
	it("continues the trace of `_meta`, below the gateway's span", async () => {
		gateway.rows.length = 0
		const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
		await client.request('tools/call', {
			name: 'echo',
			_meta: { traceparent: `00-${trace}-bbbbbbbbbbbbbbbb-01`, own: 1 },
		})
		const [row] = gateway.rows
		expect(row).toMatchObject({ traceId: trace, parentSpanId: 'bbbbbbbbbbbbbbbb' })
		expect(upstream.received.at(-1)?.params._meta).toEqual({
			own: 1,
			traceparent: `00-${trace}-${row?.spanId}-01`,
		})
	})
})

describe('a batch', () => {
	it('is answered in order in 2025-03-26, and unknown elsewhere', async () => {
		const batch = [
			{ jsonrpc: '2.0', id: 1, method: 'ping' },
			{ jsonrpc: '2.0', method: 'notifications/x' },
			{ jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'other' } },
		]
		expect((await client.post(batch)).status).toBe(400)
		const old = to(rosa)
		await old.initialize('2025-03-26')
		expect((await old.post(batch)).body).toMatchObject([
			{ id: 1, result: {} },
			{ id: 'b', error: { code: -32602 } },
		])
		const row = gateway.rows.findLast(({ kind }) => kind === 'tool_call')
		expect(row?.requestBytes).toBe(Buffer.byteLength(JSON.stringify(batch[2])))
		expect((await old.post([])).status).toBe(400)
	})
	it('is answered message by message, also if one is malformed', async () => {
		const old = to(rosa)
		await old.initialize('2025-03-26')
		const batch = [
			...[{ jsonrpc: '2.0', id: 1, method: 'ping' }, 7, { id: 2, method: 'ping' }],
			...[
				{ jsonrpc: '2.0', id: 3, method: 'tools/call', params: [] },
				{ jsonrpc: '2.0', method: '' },
			],
			...[
				{ jsonrpc: '2.0', id: 4, method: 'initialize' },
				{ jsonrpc: '2.0', id: 5, method: 'tools/list' },
			],
		]
		const refused = (id: number | null) => ({ jsonrpc: '2.0', id, error: { code: -32600 } })
		const { status, body } = await old.post(batch)
		expect(status).toBe(200)
		expect(body).toMatchObject([
			...[{ id: 1, result: {} }, refused(null), refused(2), refused(3), refused(null), refused(4)],
			{ id: 5, result: { tools: [{ name: 'echo' }] } },
		])
	})
	it('of many requests leaves no warning in the log of the process', async () => {
		const warned: string[] = []
		const note = ({ message }: Error) => void warned.push(message)
		process.on('warning', note)
		const old = to(rosa)
		await old.initialize('2025-03-26')
		const lists = Array.from({ length: 12 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
		expect((await old.post(lists)).body).toHaveLength(12)
		process.off('warning', note)
		expect(warned).toEqual([])
	})
})

const call = (params: string) => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const badBodies: [string, string | Uint8Array, number, number][] = [
	['no JSON', '{"jsonrpc":', 400, -32700],
	['nothing', '', 400, -32700],
	['two documents', '{}{}', 400, -32700],
	['no UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d]), 400, -32700],
	['a byte order mark', '\ufeff{}', 400, -32700],
	['a duplicate key', call('{"name":"other","name":"echo"}'), 400, -32600],
	['a duplicate key, escaped', call('{"name":"other","n\\u0061me":"echo"}'), 400, -32600],
	['a key in another case', call('{"name":"echo","Name":"other"}'), 400, -32600],
	[
		'an envelope key in another case',
		'{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
		400,
		-32600,
	],
	['__proto__', call('{"name":"echo","arguments":{"__proto__":{}}}'), 400, -32600],
	['65 levels', call(`{"name":"echo","arguments":{"a":${deep(62)}}}`), 400, -32600],
	['no version', '{"id":1,"method":"ping"}', 400, -32600],
	['a number', '5', 400, -32600],
	['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
	['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
	['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 400, -32600],
	['no tool', call('{}'), 200, -32602],
	['a tool that is a number', call('{"name":5}'), 200, -32602],
	['arguments that are text', call('{"name":"echo","arguments":"x"}'), 200, -32602],
	['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, -32601],
	['a body over the limit', call(`{"name":"echo","arguments":{"a":"${'x'.repeat(5000)}"}}`), 413, -32600],
]

describe('a bad body is refused', () => {
	it.each(badBodies)('%s', async (_name, body, status, code) => {
		const before = upstream.received.length
		expect(await client.post(body)).toMatchObject({ status, body: { jsonrpc: '2.0', error: { code } } })
		expect(upstream.received).toHaveLength(before)
	})
	it('64 levels are accepted', async () => {
		expect(
			(await client.post(call(`{"name":"echo","arguments":{"a":${deep(61)}}}`))).body.result,
		).toBeDefined()
	})
	it('with an unknown protocol version in the header', async () => {
		expect(
			(
				await client.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', {
					'mcp-protocol-version': '1999-01-01',
				})
			).status,
		).toBe(400)
	})
})

describe('the stream of a session', () => {
	it('says that the list changed within 1 s of a change of the grant, and only then', async () => {
		const abort = new AbortController()
		const headers = {
			authorization: `Bearer ${rosa.key}`,
			'mcp-session-id': client.session,
			accept: 'text/event-stream',
		}
		const response = await fetch(`${gateway.url}/mcp/tools`, { headers, signal: abort.signal })
		let heard = ''
		const reading = (async () => {
			for await (const chunk of response.body as AsyncIterable<Uint8Array>)
				heard += Buffer.from(chunk).toString()
		})().catch(() => {})
		await until(() => heard.includes(': open'), 1000)
		const allow = (...allowed_tools: string[]) =>
			gateway.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${rosa.id}`, { allowed_tools })
		await gateway.addAgent('Someone else')
		await allow('echo')
		await new Promise((resolve) => setTimeout(resolve, 50))
		expect(heard).not.toContain('list_changed')
		await allow('echo', 'other')
		await until(() => heard.includes('notifications/tools/list_changed'), 1000)
		await allow('echo')
		abort.abort()
		await reading
	})
	it('needs a known session; without one it is the stream of the 2024 transport', async () => {
		const headers = {
			authorization: `Bearer ${rosa.key}`,
			...{ accept: 'text/event-stream', 'mcp-protocol-version': '2025-06-18' },
		}
		const open = (more: object) => fetch(`${gateway.url}/mcp/tools`, { headers: { ...headers, ...more } })
		expect((await open({ 'mcp-session-id': 'another' })).status).toBe(404)
		const reader = ((await open({})).body as ReadableStream<Uint8Array>).getReader()
		expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('event: endpoint')
		await reader.cancel()
	})
})

describe('who has access', () => {
	it('a platform key that names an agent of its workspace', async () => {
		const { key } = await gateway.manage('POST', '/v1/keys', { name: 'platform', scopes: ['mcp:invoke'] })
		const withAgent = (id: string) =>
			newWireClient(`${gateway.url}/mcp-key/tools`, key, { 'x-signalbox-agent': id })
		expect((await withAgent(rosa.id).initialize()).status).toBe(200)
		expect(await withAgent('nobody').initialize()).toMatchObject({
			status: 403,
			body: { error: { data: { code: 'agent_required' } } },
		})
		// Clients show the message alone, so it says what to do.
		const message = expect.stringContaining('use an agent key, or send the id of an agent in the header')
		expect(await newWireClient(`${gateway.url}/mcp`, key).initialize()).toMatchObject({
			status: 403,
			body: { error: { message, data: { code: 'agent_required' } } },
		})
	})
	it('nobody without a credential', async () => {
		const answer = await newWireClient(`${gateway.url}/mcp`, 'wrong').initialize()
		expect(answer).toMatchObject({ status: 401, body: { jsonrpc: '2.0', id: null } })
		expect(answer.headers.get('www-authenticate')).toContain('Bearer')
	})
	it('nobody to a server that does not exist', async () => {
		// Python's SDK 1 and mcp-go would show nothing of an answer with 404: it means that a session is over.
		expect(await to(rosa, '/mcp/none').initialize()).toMatchObject({
			status: 200,
			body: { error: { code: -32010, data: { code: 'server_not_granted', agent: 'Rosa' } } },
		})
	})
	it('nobody while permissions are too old', async () => {
		gateway.stale = true
		const answer = await client.request('tools/list')
		gateway.stale = false
		expect(answer).toMatchObject({ status: 503, body: { error: { data: { code: 'stale_permissions' } } } })
		expect(answer.headers.get('retry-after')).toBe('1')
	})
})

it('a client is asked nothing for an operation that was cancelled before', async () => {
	const sent: string[] = []
	const sealer = { mac: () => 'mac' }
	const requests = new LegacyInputRequests(systemClock, defaultLimits, sealer, {
		sendAside: (_id, text) => sent.push(text) > 0,
		hasStream: () => true,
		peers: { hasReaders: false, send: async () => {} },
	})
	const session = { id: 's', client: { capabilities: { roots: {} } } } as unknown as ClientSession
	const cancellation = new Cancellation()
	const operation = { cancellation, reply: { takesMessages: false }, asking: 0 } as unknown as Operation
	const failure = new RpcFailure(-32603, 'over')
	cancellation.cancel(failure)
	const asked = requests.askerOf(session, operation)({ method: 'roots/list', params: {} })
	await expect(asked).rejects.toBe(failure)
	expect(sent).toEqual([])
})

it('an absent capability may be written as null', () => {
	const form = { method: 'elicitation/create', params: {} } as const
	expect(understands({ elicitation: { form: null, url: null } }, form)).toBe(true)
	expect(understands({ elicitation: { form: null, url: {} } }, form)).toBe(false)
	expect(understands({ elicitation: null }, form)).toBe(false)
	const sampling = { method: 'sampling/createMessage', params: { messages: [], tools: null } } as const
	expect(understands({ sampling: { tools: null } }, sampling)).toBe(true)
})
