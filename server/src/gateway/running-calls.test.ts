import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireAnswer, type WireClient } from './testing-client.ts'
import {
	type Received,
	type ScriptedUpstream,
	sendJson,
	sendText,
	startScriptedUpstream,
} from './testing-upstream.ts'

let gateway: TestGateway
let upstream: ScriptedUpstream
let agent: { id: string; key: string }
let serverId: string
let client: WireClient
let answer: (message: Received, response: ServerResponse) => void
const call = (signal?: AbortSignal, meta = {}) =>
	client.post(
		{ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'run', _meta: meta } },
		{},
		signal,
	)
const calls = () => upstream.received.filter((message) => message.method === 'tools/call')
const lastRow = () => gateway.rows.filter((row) => row.kind === 'tool_call').at(-1)

const stream = (response: ServerResponse, ...events: object[]) => {
	if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
	for (const event of events) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`)
}

beforeAll(async () => {
	gateway = await openTestGateway({ idleMs: 1500, totalMs: 4000, answerBytes: 64 * 1024 })
	upstream = await startScriptedUpstream((message, response) => answer(message, response))
	agent = await gateway.addAgent('Rosa')
})
beforeEach(async () => {
	gateway.servers.clear()
	serverId = gateway.addServer({
		name: 'Tools',
		url: upstream.url,
		tools: [{ name: 'run', inputSchema: {} }],
	}).id
	gateway.agents.set(agent.id, {
		id: agent.id,
		workspaceId: gateway.workspaceId,
		name: 'Rosa',
		status: 'active',
	})
	gateway.revoked.clear()
	gateway.rows.length = 0
	gateway.grant(agent.id, serverId, ['run'])
	client = newWireClient(`${gateway.url}/mcp/tools`, agent.key)
	await client.initialize()
})
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

const hang = () => {
	answer = () => {}
}
const hangInStream = () => {
	answer = ({ params }, response) =>
		stream(response, {
			method: 'notifications/progress',
			params: { progress: 1, progressToken: (params._meta as { progressToken?: number }).progressToken },
		})
}
const changes: Record<string, () => void> = {
	'pausing the agent': () =>
		gateway.agents.set(agent.id, {
			id: agent.id,
			workspaceId: gateway.workspaceId,
			name: 'Rosa',
			status: 'paused',
		}),
	'switching the grant off': () =>
		Object.assign(gateway.grants.get(`${agent.id} ${serverId}`) ?? {}, { enabled: false }),
	'taking the tool out of the grant': () => gateway.grant(agent.id, serverId, []),
	'revoking the key': () => gateway.revoked.add(keyId()),
}
const keyId = () => gateway.rows.at(-1)?.credentialId ?? ''

describe.each(Object.keys(changes))('%s', (name) => {
	it.each([
		['that waits', hang],
		['in mid-stream', hangInStream],
	])('cuts a call %s within 1 s', async (_what, prepare) => {
		prepare()
		const before = calls().length
		const running = call(undefined, { progressToken: 'p' })
		await until(() => calls().length > before, 2000)
		const startedMs = performance.now()
		changes[name]?.()
		gateway.applied()
		const { body } = await running
		expect(performance.now() - startedMs).toBeLessThan(1000)
		expect(body).toMatchObject({ jsonrpc: '2.0', id: 5, error: { code: expect.any(Number) } })
		expect(lastRow()).toMatchObject({ status: 'denied' })
		await until(() => upstream.received.some((message) => message.method === 'notifications/cancelled'), 1000)
	})
	it('refuses the next call', async () => {
		answer = ({ id }, response) => sendText(response, id, 'ran')
		expect((await call()).body.result).toBeDefined()
		changes[name]?.()
		gateway.applied()
		const before = calls().length
		if (name === 'revoking the key') expect((await call()).status).toBe(401)
		else expect((await call()).body.error).toMatchObject({ data: { agent: 'Rosa', tool: 'run' } })
		expect(calls()).toHaveLength(before)
	})
})

describe('a client that goes away', () => {
	it('ends the call upstream', async () => {
		hang()
		const abort = new AbortController()
		const early = upstream.closedEarly
		const before = calls().length
		const running = call(abort.signal).catch(() => {})
		await until(() => calls().length > before, 1000)
		abort.abort()
		await running
		await until(() => upstream.closedEarly > early, 1000)
		const cancelled = () =>
			upstream.received.findLast((message) => message.method === 'notifications/cancelled')
		await until(() => cancelled()?.params.requestId === calls().at(-1)?.id, 1000)
		await until(() => lastRow()?.status === 'interrupted', 1000)
		expect(lastRow()?.errorType).toBe('cancelled')
	})
	it('or says so in its session', async () => {
		hang()
		const before = calls().length
		const running = call()
		await until(() => calls().length > before, 1000)
		await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
		expect((await running).body).toBeNull()
		expect(lastRow()).toMatchObject({ status: 'interrupted', errorType: 'cancelled' })
	})
})

describe('an upstream in mid-call', () => {
	it('streams progress and logs ahead of its answer, as they come', async () => {
		let finish = () => {}
		answer = ({ id, params }, response) => {
			const { progressToken } = params._meta as { progressToken: number }
			expect(progressToken).toBe(id)
			stream(
				response,
				{ method: 'notifications/progress', params: { progressToken, progress: 1 } },
				{ method: 'notifications/progress', params: { progressToken: 'alien', progress: 2 } },
			)
			stream(
				response,
				{ method: 'notifications/message', params: { level: 'info', data: 'log' } },
				{ id: 999_999, result: {} },
			)
			finish = () => {
				stream(response, { id, result: { content: [] } })
				response.end()
			}
		}
		const response = await fetch(`${gateway.url}/mcp/tools`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${agent.key}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				'mcp-session-id': client.session,
			},
			body: JSON.stringify({
				jsonrpc: '2.0',
				id: 5,
				method: 'tools/call',
				params: { name: 'run', _meta: { progressToken: 'own' } },
			}),
		})
		let text = ''
		for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
			text += Buffer.from(chunk).toString()
			if (text.includes('"log"')) finish()
		}
		const events = [...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''))
		expect(events).toEqual([
			{ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'own', progress: 1 } },
			{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'log' } },
			{ jsonrpc: '2.0', id: 5, result: { content: [] } },
		])
	})
	it('hears a clear no when it asks the client', async () => {
		answer = ({ id }, response) =>
			stream(
				response,
				{ id: 'q1', method: 'sampling/createMessage', params: {} },
				{ id, result: { content: [] } },
			)
		expect((await call()).body.result).toEqual({ content: [] })
		await until(
			() => upstream.received.some((message) => message.text.includes('"id":"q1","error":{"code":-32601')),
			1000,
		)
	})
	it('that lost our session is asked again in a new one, once', async () => {
		answer = ({ id }, response) => sendText(response, id, 'ran')
		await call()
		upstream.sessions.clear()
		const before = calls().length
		expect((await call()).body.result.content[0].text).toBe('ran')
		expect(calls()).toHaveLength(before + 2)
	})
})

const faults: [string, (message: Received, response: ServerResponse) => void, string][] = [
	['dies', (_message, response) => void response.destroy(), 'upstream_unreachable'],
	[
		'dies in its stream',
		(_message, response) => {
			stream(response, { method: 'x' })
			setTimeout(() => response.destroy(), 20)
		},
		'upstream_unreachable',
	],
	[
		'ends its stream without an answer',
		(_message, response) => {
			stream(response, { method: 'x' })
			response.end()
		},
		'upstream_disconnected',
	],
	[
		'answers with HTML',
		(_message, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
		'upstream_invalid_answer',
	],
	[
		'answers with half a JSON',
		(_message, response) =>
			void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
		'upstream_invalid_answer',
	],
	[
		'answers another request',
		(_message, response) => sendJson(response, 200, { jsonrpc: '2.0', id: -1, result: {} }),
		'upstream_invalid_answer',
	],
	[
		'answers 202 and nothing',
		(_message, response) => void response.writeHead(202).end(),
		'upstream_invalid_answer',
	],
	[
		'answers duplicate keys',
		({ id }, response) =>
			void response
				.writeHead(200, { 'content-type': 'application/json' })
				.end(`{"jsonrpc":"2.0","id":${id},"result":{"a":1,"a":2}}`),
		'upstream_invalid_answer',
	],
	[
		'answers too much',
		({ id }, response) => sendText(response, id, 'x'.repeat(100_000)),
		'upstream_invalid_answer',
	],
	[
		'streams too much',
		(_message, response) =>
			void response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.end(`data: ${'x'.repeat(100_000)}\n\n`),
		'upstream_invalid_answer',
	],
	[
		'compresses',
		(_message, response) =>
			void response
				.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
				.end('x'),
		'upstream_invalid_answer',
	],
	[
		'redirects',
		(_message, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
		'upstream_http_error',
	],
	['breaks', (_message, response) => void response.writeHead(500).end('oops'), 'upstream_http_error'],
	[
		'refuses our credentials',
		(_message, response) => void response.writeHead(401).end(),
		'upstream_unauthorized',
	],
	['says nothing', () => {}, 'timeout'],
	['falls silent', (_message, response) => stream(response, { method: 'x' }), 'timeout'],
	[
		'never comes to an end',
		(_message, response) =>
			void setInterval(() => !response.destroyed && stream(response, { method: 'x' }), 200).unref(),
		'timeout',
	],
]

describe('an upstream that', () => {
	it.each(faults)('%s costs one error in time, and is recorded', async (_name, fault, code) => {
		answer = fault
		const { status, body }: WireAnswer = await call()
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { id: 5, error: { code: -32603, data: { code } } },
		})
		expect(lastRow()).toMatchObject({ status: 'error', errorType: code, rpcCode: -32603 })
		answer = ({ id }, response) => sendText(response, id, 'fine')
		expect((await call()).body.result.content[0].text).toBe('fine')
	})
	it('fails with an error of its own is passed on', async () => {
		answer = ({ id }, response) =>
			sendJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32042, message: 'own', data: { a: 1 } } })
		expect((await call()).body.error).toEqual({ code: -32042, message: 'own', data: { a: 1 } })
		expect(lastRow()).toMatchObject({ status: 'error', errorType: '-32042', rpcCode: -32042 })
	})
	it('says that its tool failed is recorded so', async () => {
		answer = ({ id }, response) =>
			sendJson(response, 200, { jsonrpc: '2.0', id, result: { content: [], isError: true } })
		await call()
		expect(lastRow()).toMatchObject({ status: 'error', errorType: 'tool_error', rpcCode: null })
	})
})
