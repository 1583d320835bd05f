import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { SpanRow } from '../../telemetry/index.ts'
import { openTestGateway, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, until, type WireAnswer, type WireClient } from '../testing-client.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../testing-upstream.ts'
import { PlainToolCall } from './plain-tool-call.ts'

type Respond = (message: Received, response: ServerResponse) => void

const begins = vi.spyOn(PlainToolCall.prototype, 'begin')
const turned = vi.spyOn(PlainToolCall.prototype, 'becomeOperation')
let gateway: TestGateway
let agent: TestAgent
let legacy: ScriptedUpstream
let modern: Awaited<ReturnType<typeof startModernServer>>
let modernId = ''
/** The schema of the modern server's tool. */
let schema: object = { type: 'object' }
let respond: Respond = () => {}
const received: Received[] = []

beforeAll(async () => {
	gateway = await openTestGateway({ idleMs: 2000 })
	const take: Respond = (message, response) => {
		received.push(message)
		respond(message, response)
	}
	legacy = await startScriptedUpstream([{ name: 'run', inputSchema: { type: 'object' } }], take)
	modern = await startModernServer(take)
	agent = await gateway.addAgent('Rosa')
	for (const [name, url] of [
		['Legacy', legacy.url],
		['Modern', modern.url],
	] as const) {
		modernId = await gateway.addServer(name, url)
		await gateway.grant(agent.id, modernId, ['run'])
	}
})
beforeEach(() => {
	gateway.rows.length = 0
	received.length = 0
	begins.mockClear()
	turned.mockClear()
})
afterEach(() => {
	for (const { status, errorType } of gateway.rows)
		expect(status === 'interrupted' || errorType === 'internal').toBe(false)
})
afterAll(async () => {
	await gateway?.close()
	await legacy?.close()
	await modern?.close()
})

/** A server of 2026-07-28 with one tool, whose answers the test supplies. */
async function startModernServer(take: Respond) {
	const results = (): Record<string, object> => ({
		'server/discover': {
			supportedVersions: ['2026-07-28'],
			capabilities: { tools: {} },
			serverInfo: { name: 'modern', version: '1' },
		},
		'tools/list': { tools: [{ name: 'run', inputSchema: schema }] },
	})
	const server = createServer(async (request: IncomingMessage, response) => {
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		const text = Buffer.concat(chunks).toString()
		const message = { ...(JSON.parse(text || '{}') as Received), headers: request.headers, text }
		if (message.method === 'tools/call') return take(message, response)
		const result = results()[message.method]
		const told = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result }
		const error = { code: -32601, message: 'no such method' }
		const body = { jsonrpc: '2.0', id: message.id, ...(result ? { result: told } : { error }) }
		response.writeHead(result ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
		close: async () => {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
		},
	}
}

/** The combinations of eras in which a plain call needs no translation. */
const ways = [
	['modern', 'modern'],
	['modern', 'legacy'],
	['legacy', 'legacy'],
] as const

/** A query string prevents a call from being a plain call. */
async function clientOf(era: string, server: string, search: string): Promise<WireClient> {
	const client = newWireClient(`${gateway.url}/mcp/${server}${search}`, agent.key)
	if (era === 'legacy') await client.initialize('2025-06-18')
	return client
}

const usual = { name: 'run', arguments: { text: 'Hi, jane@example.com', n: 1.5 } }

function call(client: WireClient, params: Record<string, unknown> = usual, meta = {}): Promise<WireAnswer> {
	if (client.session === '') return client.modern('tools/call', params, {}, meta)
	const all = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }
	return client.request('tools/call', all, 7)
}

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const text = (said: string) => ({ content: [{ type: 'text', text: said }] })
const message = (id: unknown, rest: object) => JSON.stringify({ jsonrpc: '2.0', id, ...rest })
const event = (data: string) => `event: message\ndata: ${data}\n\n`
const progress = (token: unknown) =>
	JSON.stringify({
		jsonrpc: '2.0',
		method: 'notifications/progress',
		params: { progressToken: token, progress: 1 },
	})

const whole =
	(headers: Record<string, string>, write: (id: number, token: unknown) => string, status = 200): Respond =>
	({ id, params }, response) => {
		const { progressToken } = (params._meta ?? {}) as { progressToken?: unknown }
		response.writeHead(status, headers).end(write(id, progressToken))
	}
const pieces =
	(headers: Record<string, string>, write: (id: number) => string[]): Respond =>
	({ id }, response) => {
		response.writeHead(200, headers)
		const left = write(id)
		const next = () => {
			const piece = left.shift()
			if (piece === undefined) return void response.end()
			response.write(piece)
			setTimeout(next, 5)
		}
		next()
	}

/** The last stream that its server left open. */
let stream: ServerResponse | null = null
const openFor =
	(write: (id: number) => string): Respond =>
	({ id }, response) => {
		stream = response
		response.writeHead(200, events).write(write(id))
	}

const answers: Record<string, { respond: Respond; isPlain?: boolean; meta?: object; params?: object }> = {
	'a result': { isPlain: true, respond: whole(json, (id) => message(id, { result: text('done') })) },
	'a result of known length': {
		isPlain: true,
		respond: ({ id }, response) => {
			const body = message(id, { result: text('done') })
			response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(body) }).end(body)
		},
	},
	'an empty result': { isPlain: true, respond: whole(json, (id) => message(id, { result: {} })) },
	'a result with spaces, escapes and long numbers': {
		isPlain: true,
		respond: whole(
			json,
			(id) =>
				`{ "jsonrpc": "2.0",\n "result": { "content": [ {"type":"text","text":"caf\\u00e9 \\"x\\""} ], "structuredContent": {"n": 12345678901234567890, "z": 1.0} \n}, "id": ${id} }`,
		),
	},
	'a result whose structured content is no object': {
		respond: whole(json, (id) => message(id, { result: { ...text('3'), structuredContent: 3 } })),
	},
	'a result that says it is complete, and for how long': {
		isPlain: true,
		respond: whole(json, (id) => message(id, { result: { resultType: 'complete', ttlMs: 5, ...text('x') } })),
	},
	'a result without an error': {
		isPlain: true,
		respond: whole(json, (id) => message(id, { result: { ...text('fine'), isError: false } })),
	},
	'a result in pieces': {
		isPlain: true,
		respond: pieces(json, (id) => {
			const body = message(id, { result: text('dönè') })
			return [body.slice(0, 20), body.slice(20)]
		}),
	},
	'a stream with one event': {
		isPlain: true,
		respond: whole(events, (id) => event(message(id, { result: text('streamed') }))),
	},
	'a stream that begins with an empty event and a comment': {
		isPlain: true,
		respond: whole(
			events,
			(id) => `: hello\nid: 1\ndata: \n\nid: 2\r\ndata: ${message(id, { result: text('two') })}\r\n\r\n`,
		),
	},
	'a stream in pieces': {
		isPlain: true,
		respond: pieces(events, (id) => {
			const body = event(message(id, { result: text('pieces') }))
			return [body.slice(0, 9), body.slice(9, 30), body.slice(30)]
		}),
	},
	'a stream with progress': {
		respond: whole(events, (id, token) => event(progress(token)) + event(message(id, { result: text('p') }))),
		meta: { progressToken: 'mine' },
	},
	'a stream of two lines of data': {
		respond: whole(events, (id) => `data: {"jsonrpc":"2.0","id":${id},\ndata: "result":{}}\n\n`),
	},
	'a stream that ends in the middle of a line end after something that is no message': {
		respond: whole(events, () => 'data: no JSON\n\r'),
	},
	'a stream that begins with a mark, and stays open': {
		respond: openFor((id) => `\ufeffdata: ${message(id, { result: text('marked') })}\n\n`),
	},
	'a stream of lines that end in a return alone, and stays open': {
		respond: openFor((id) => `data: ${message(id, { result: text('old') })}\r\r`),
	},
	'a stream that ends before its answer': { respond: whole(events, () => ': nothing\n\n') },
	'a failure of the tool': {
		respond: whole(json, (id) => message(id, { result: { ...text('"n" must be text'), isError: true } })),
	},
	'an error': {
		respond: whole(json, (id) => message(id, { error: { code: -32602, message: 'no', data: [1] } })),
	},
	'an error under a status': {
		respond: whole(json, (id) => message(id, { error: { code: -32000, message: 'no' } }), 400),
	},
	'an answer to another request': { respond: whole(json, () => message('other', { result: {} })) },
	'a key that comes twice': {
		respond: whole(json, (id) => `{"jsonrpc":"2.0","id":${id},"result":{"a":1,"a":2}}`),
	},
	'no JSON': { respond: whole(json, () => '{"jsonrpc":') },
	'a page': { respond: whole({ 'content-type': 'text/html' }, () => '<p>hello') },
	'a page that two schemes of credentials would open': {
		respond: (_message, response) =>
			void response.writeHead(401, { 'www-authenticate': ['Bearer scope="a"', 'Basic realm="b"'] }).end(),
	},
	'a page that was refused': { respond: whole({ 'content-type': 'text/html' }, () => 'no', 403) },
	nothing: { respond: (_message, response) => void response.writeHead(204).end() },
	'a redirect': {
		respond: ({ id, headers }, response) => {
			if (headers['x-again']) return
			const again = received.length % 2 === 0
			if (again) response.writeHead(200, json).end(message(id, { result: text('moved') }))
			else response.writeHead(307, { location: '/mcp' }).end()
		},
	},
	'a compressed answer': {
		respond: ({ id }, response) =>
			void response
				.writeHead(200, { ...json, 'content-encoding': 'gzip' })
				.end(gzipSync(message(id, { result: {} }))),
	},
	'a long result': { respond: whole(json, (id) => message(id, { result: text('x'.repeat(100_000)) })) },
	'a result that is recorded in part': {
		isPlain: true,
		respond: whole(json, (id) => message(id, { result: text('y'.repeat(20_000)) })),
	},
	'a connection that is dropped': { respond: (_message, response) => void response.destroy() },
	'a body that breaks off': {
		respond: ({ id }, response) => {
			response.writeHead(200, { ...json, 'content-length': 1000 })
			response.write(message(id, { result: {} }))
			setTimeout(() => response.destroy(), 20)
		},
	},
	'a trace and a tool use in the request': {
		isPlain: true,
		respond: whole(json, (id) => message(id, { result: text('traced') })),
		meta: {
			traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
			tracestate: 'a=1',
			'claudecode/toolUseId': 'toolu_1',
		},
	},
	'no arguments': {
		isPlain: true,
		params: { name: 'run' },
		respond: whole(json, (id) => message(id, { result: {} })),
	},
}

/** Headers that may differ between two calls. */
const ofOneCall = /^(date|x-request-id|keep-alive|connection|content-length|transfer-encoding)$/
const inOrder = (value: unknown) =>
	JSON.stringify(value, (_key, inner) =>
		typeof inner === 'object' && inner !== null && !Array.isArray(inner)
			? Object.fromEntries(Object.entries(inner).sort())
			: inner,
	)

function alike({ status, headers, body }: WireAnswer, record: SpanRow | undefined, sent: Received[]) {
	const { spanId, traceId, startNs, durationNs, sessionId, requestBytes, responseBytes, ...row } =
		record as SpanRow
	const { attributes, ...others } = row
	const told = [...attributes].filter(([name]) => name !== 'mcp.session.id').sort()
	return {
		...{ status, body: inOrder(body), row: others, told },
		headers: [...headers].filter(([name]) => !ofOneCall.test(name)),
		sent: sent.map(({ method, params, headers: of }) => {
			const { 'mcp-session-id': _session, traceparent: _trace, ...rest } = of
			const {
				traceparent: _one,
				progressToken: _two,
				...meta
			} = (params._meta ?? {}) as object & Record<string, unknown>
			return inOrder({ method, ...params, _meta: meta, rest: { ...rest, 'content-length': '' } })
		}),
	}
}

const cases = ways.flatMap(([client, server]) =>
	Object.entries(answers).map(([name, answer]) => [name, client, server, answer] as const),
)

/** Makes a plain call and one that is an operation; resolves with what came of each. */
async function inBothWays(era: string, server: string, answer: (typeof answers)[string]) {
	// A first call opens the legacy session, so that the compared calls send nothing else.
	respond = answers['a result']?.respond as Respond
	await call(await clientOf(era, server, '?usual'))
	const both = []
	for (const spy of [begins, turned]) spy.mockClear()
	for (const search of ['', '?usual']) {
		const client = await clientOf(era, server, search)
		await until(() => gateway.rows.length > 0, 2000)
		gateway.rows.length = 0
		received.length = 0
		respond = answer.respond
		stream = null
		const answered = await call(client, (answer.params ?? usual) as typeof usual, answer.meta)
		// It was not given up first.
		expect((stream as ServerResponse | null)?.destroyed ?? false).toBe(false)
		await until(() => gateway.rows.some(({ kind }) => kind === 'tool_call'), 2000)
		const [record] = gateway.rows.filter(({ kind }) => kind === 'tool_call')
		both.push(alike(answered, record, [...received]))
		gateway.rows.length = 1
	}
	expect(begins).toHaveBeenCalledTimes(1)
	return both
}

it.each(cases)(
	'%s (%s client, %s server): same answer and record as an operation',
	async (_name, era, server, answer) => {
		const both = await inBothWays(era, server, answer)
		expect(turned.mock.calls.length === 0).toBe(answer.isPlain ?? false)
		expect(both[0]).toEqual(both[1])
	},
)

function randomStream(seed: number): Respond {
	return ({ id }, response) => {
		let state = seed
		const below = (n: number) => {
			state = (Math.imul(state, 1664525) + 1013904223) >>> 0
			return Math.floor((state / 2 ** 32) * n)
		}
		const oneOf = <T>(list: readonly T[]) => list[below(list.length)] as T
		const before = [': hello', 'id', 'retry: 10', 'event: message', 'data:', 'other: x', progress(0), '']
		const rest = oneOf([{ result: text('dönè') }, { result: {} }, { error: { code: 1, message: 'no' } }, {}])
		const data = `data: ${message(oneOf([id, id, id, 'other']), rest)}`
		const lines = [...before.filter(() => below(4) === 0), data, oneOf(['', '', 'data: x']), '']
		const bytes = Buffer.from(oneOf(['', '', '\ufeff']) + lines.join(oneOf(['\n', '\r\n', '\r'])))
		const cut = below(bytes.length)
		response.writeHead(200, events).write(bytes.subarray(0, cut))
		setTimeout(() => response.end(bytes.subarray(cut)), 2)
	}
}

it.each(ways)('random streams (%s client, %s server) end alike in both ways', async (era, server) => {
	const first = Math.floor(Math.random() * 2 ** 31)
	for (let seed = first; seed < first + 10; seed += 1) {
		const both = await inBothWays(era, server, { respond: randomStream(seed) })
		expect(both[0], `seed ${seed}`).toEqual(both[1])
	}
})

it('a call that is at its server is not measured by a definition of its tool that came later', async () => {
	let finish = () => {}
	respond = ({ id }, response) => {
		finish = () =>
			response.writeHead(200, events).end(event(progress(0)) + event(message(id, { result: {} })))
	}
	await gateway.manage('PATCH', `/v1/mcp/servers/${modernId}`, { definition_policy: 'allow' })
	const running = call(await clientOf('modern', 'modern', ''))
	await until(() => received.length > 0, 2000)
	schema = { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } }
	const refresh = () => gateway.manage('POST', `/v1/mcp/servers/${modernId}/tools/refresh`)
	await refresh()
	finish()
	expect((await running).body.result).toEqual({ resultType: 'complete' })
	expect(gateway.rows.map(({ kind, status }) => [kind, status])).toEqual([['tool_call', 'ok']])
	schema = { type: 'object' }
	await refresh()
})
