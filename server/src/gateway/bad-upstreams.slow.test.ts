import { request, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { until, type WireAnswer } from './testing-client.ts'
import { useCallStage } from './testing-stage.ts'
import { type Received, sendEvents, sendJson, sendText } from './testing-upstream.ts'

const stage = useCallStage({ handshakeMs: 1000, idleMs: 1500, totalMs: 4000, answerBytes: 64 * 1024 })

const faults: [string, (message: Received, response: ServerResponse) => void, string][] = [
	['dies', (_message, response) => void response.destroy(), 'upstream_unreachable'],
	[
		'dies in its stream',
		(_message, response) => {
			sendEvents(response, { method: 'x' })
			setTimeout(() => response.destroy(), 20)
		},
		'upstream_unreachable',
	],
	[
		'ends its stream without an answer',
		(_message, response) => {
			sendEvents(response, { method: 'x' })
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
	['falls silent', (_message, response) => sendEvents(response, { method: 'x' }), 'timeout'],
	[
		'never comes to an end',
		(_message, response) =>
			void setInterval(() => !response.destroyed && sendEvents(response, { method: 'x' }), 200).unref(),
		'timeout',
	],
]

describe('an upstream that', () => {
	it.each(faults)('%s costs one error in time, and is recorded', async (_name, fault, code) => {
		stage.answer = fault
		const { status, body }: WireAnswer = await stage.call()
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { id: 5, error: { code: -32603, data: { code } } },
		})
		const rowStatus = code === 'timeout' ? 'cut' : 'error'
		expect(stage.lastRow()).toMatchObject({ status: rowStatus, errorType: code, rpcCode: -32603 })
		stage.answer = ({ id }, response) => sendText(response, id, 'fine')
		expect((await stage.call()).body.result.content[0].text).toBe('fine')
	})
	it('fails with an error of its own is passed on', async () => {
		stage.answer = ({ id }, response) =>
			sendJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32042, message: 'own', data: { a: 1 } } })
		expect((await stage.call()).body.error).toEqual({ code: -32042, message: 'own', data: { a: 1 } })
		expect(stage.lastRow()).toMatchObject({ status: 'error', errorType: '-32042', rpcCode: -32042 })
	})
	it('reports a failure of its tool is recorded with it', async () => {
		stage.answer = ({ id }, response) =>
			sendJson(response, 200, { jsonrpc: '2.0', id, result: { content: [], isError: true } })
		await stage.call()
		expect(stage.lastRow()).toMatchObject({ status: 'error', errorType: 'tool_error', rpcCode: null })
	})
	it('sends its handshake in drips delays nobody for longer than the handshake limit', async () => {
		const usual = stage.upstream.initialize
		stage.upstream.sessions.clear()
		stage.upstream.initialize = (_message, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			const drip = setInterval(() => response.write(': drip\n\n'), 50)
			response.once('close', () => clearInterval(drip))
		}
		const startedMs = performance.now()
		const answers = await Promise.all([
			stage.call({}),
			stage.client.request('tools/call', { name: 'run' }, 6),
		])
		expect(performance.now() - startedMs).toBeLessThan(2500)
		for (const { body } of answers) expect(body.error.data.code).toBe('timeout')
		stage.upstream.initialize = usual
		stage.answer = ({ id }, response) => sendText(response, id, 'fine')
		expect((await stage.call()).body.result).toBeDefined()
	})
	it('sends faster than the client reads is held back', async () => {
		const event = JSON.stringify({
			jsonrpc: '2.0',
			method: 'notifications/message',
			params: { level: 'info', data: 'x'.repeat(16_000) },
		})
		let sent = 0
		let over = false
		stage.answer = (_message, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.once('close', () => {
				over = true
			})
			const push = () => {
				while (!over && sent < 10_000) {
					sent += 1
					if (!response.write(`data: ${event}\n\n`)) return void response.once('drain', push)
				}
			}
			push()
		}
		const headers = {
			authorization: `Bearer ${stage.agent.key}`,
			'content-type': 'application/json',
			accept: 'text/event-stream',
			'mcp-session-id': stage.client.session,
		}
		const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'run' } })
		const reading = request(`${stage.gateway.url}/mcp/tools`, { method: 'POST', headers }).end(body)
		reading.on('error', () => {})
		reading.on('response', (response) => response.pause())
		await until(() => sent > 10, 1000)
		await new Promise((resolve) => setTimeout(resolve, 600))
		expect(sent).toBeLessThan(2000)
		reading.destroy()
		await until(() => over, 1000)
	})
})
