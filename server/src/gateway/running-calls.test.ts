import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { SessionStore } from './eras/legacy/session-store.ts'
import { until } from './testing-client.ts'
import { useCallStage } from './testing-stage.ts'
import { sendEvents, sendText } from './testing-upstream.ts'

const stage = useCallStage()

const hang = () => {
	stage.answer = () => {}
}
const hangInStream = () => {
	stage.answer = ({ params }, response) =>
		sendEvents(response, {
			method: 'notifications/progress',
			params: { progress: 1, progressToken: (params._meta as { progressToken?: number }).progressToken },
		})
}
const grantPath = () => `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`
const changeKey = (change: object) => stage.gateway.manage('PATCH', `/v1/keys/${stage.agent.keyId}`, change)
const changes: Record<string, () => Promise<unknown>> = {
	'pausing the agent': () => stage.gateway.manage('POST', `/v1/agents/${stage.agent.id}/pause`),
	'switching the grant off': () => stage.gateway.manage('PATCH', grantPath(), { enabled: false }),
	'taking the tool out of the grant': () => stage.gateway.manage('PATCH', grantPath(), { allowed_tools: [] }),
	'taking the grant away': () => stage.gateway.manage('DELETE', grantPath()),
	'revoking the key': () => stage.gateway.manage('DELETE', `/v1/keys/${stage.agent.keyId}`),
	'taking the scope from the key': () => changeKey({ scopes: ['proxy:invoke'] }),
	'allowing the key other addresses only': () => changeKey({ allowed_addresses: ['10.0.0.0/8'] }),
	'deleting the agent': () => stage.gateway.manage('DELETE', `/v1/agents/${stage.agent.id}`),
}
const reasons: Record<string, string> = {
	'pausing the agent': 'agent_not_active',
	'switching the grant off': 'grant_disabled',
	'taking the tool out of the grant': 'tool_not_selected',
	'taking the grant away': 'tool_not_selected',
	'revoking the key': 'unauthenticated',
	'taking the scope from the key': 'forbidden',
	'allowing the key other addresses only': 'address_not_allowed',
	'deleting the agent': 'unauthenticated',
}

describe.each(Object.keys(changes))('%s', (name) => {
	it.each([
		['that waits', hang],
		['in mid-stream', hangInStream],
	])('cuts a call %s within 1 s, and says that it may have taken effect', async (_what, prepare) => {
		prepare()
		const before = stage.upstream.calls().length
		const running = stage.call({ progressToken: 'p' })
		await until(() => stage.upstream.calls().length > before, 10_000)
		const startedMs = performance.now()
		await changes[name]?.()
		const { body } = await running
		expect(performance.now() - startedMs).toBeLessThan(5000)
		const reason = reasons[name]
		const data = { code: 'call_cut', reason, may_have_taken_effect: true }
		const message = expect.stringContaining('had been sent by then and may have taken effect')
		expect(body).toMatchObject({ jsonrpc: '2.0', id: 5, error: { code: -32011, message, data } })
		expect(stage.lastRow()).toMatchObject({ status: 'cut', statusMessage: message })
		const id = stage.upstream.calls().at(-1)?.id
		await until(
			() =>
				stage.upstream.received.some(
					({ method, params }) => method === 'notifications/cancelled' && params.requestId === id,
				),
			1000,
		)
	})
	it('refuses the next call', async () => {
		stage.answer = ({ id }, response) => sendText(response, id, 'ran')
		expect((await stage.call()).body.result).toBeDefined()
		await changes[name]?.()
		const before = stage.upstream.calls().length
		const { status, body } = await stage.call()
		const isRefusedByIngress = status === 401 || name.includes('the key')
		if (!isRefusedByIngress)
			expect(body.error).toMatchObject({ data: { tool: 'run', agent: expect.stringContaining('Rosa') } })
		expect(stage.upstream.calls()).toHaveLength(before)
	})
})

describe('a call that has not been sent', () => {
	it('is refused, even while its server is being opened for it', async () => {
		stage.upstream.sessions.clear()
		stage.answer = ({ id }, response) => sendText(response, id, 'ran')
		let shakeHands = () => {}
		const { initialize } = stage.upstream
		stage.upstream.initialize = (message, response) => {
			shakeHands = () => initialize(message, response)
		}
		const running = stage.call()
		await until(() => stage.upstream.received.at(-1)?.method === 'initialize', 10_000)
		const before = stage.upstream.calls().length
		await stage.gateway.manage('POST', `/v1/agents/${stage.agent.id}/pause`)
		expect((await running).body.error).toMatchObject({ data: { code: 'agent_not_active' } })
		expect(stage.lastRow()).toMatchObject({ status: 'denied' })
		stage.upstream.initialize = initialize
		shakeHands()
		expect(stage.upstream.calls()).toHaveLength(before)
	})
})

describe('a call whose body comes later than its head', () => {
	it('is refused when its key was revoked meanwhile', async () => {
		stage.answer = ({ id }, response) => sendText(response, id, 'ran')
		expect((await stage.call()).body.result).toBeDefined()
		const before = stage.upstream.calls().length
		const params = { name: 'run', arguments: {} }
		const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params })
		const headers = {
			authorization: `Bearer ${stage.agent.key}`,
			'mcp-session-id': stage.client.session ?? '',
			'mcp-protocol-version': '2025-11-25',
			'content-type': 'application/json',
			'content-length': String(Buffer.byteLength(body)),
			accept: 'application/json, text/event-stream',
		}
		const sent = request(`${stage.gateway.url}/mcp/tools`, { method: 'POST', headers })
		const answered = once(sent, 'response')
		sent.flushHeaders()
		// Long enough for the head to be checked.
		await sleep(200)
		await changes['revoking the key']?.()
		sent.end(body)
		const [response] = (await answered) as [IncomingMessage]
		const [, data = '{}'] =
			/^data: (.*)$/m.exec(`data: ${(await response.setEncoding('utf8').toArray()).join('')}`) ?? []
		expect(JSON.parse(data)).toMatchObject({ id: 9, error: { data: { code: 'unauthenticated' } } })
		expect(stage.upstream.calls()).toHaveLength(before)
	})
})

describe('a server that is switched off', () => {
	it('cuts its running calls', async () => {
		hang()
		const before = stage.upstream.calls().length
		const running = stage.call()
		await until(() => stage.upstream.calls().length > before, 10_000)
		const path = `/v1/mcp/servers/${stage.serverId}`
		await stage.gateway.manage('PATCH', path, { status: 'inactive' })
		const reason = 'server_inactive'
		expect((await running).body.error.data).toMatchObject({ code: 'call_cut', reason })
		expect(stage.lastRow()).toMatchObject({ status: 'cut', errorType: reason })
		await stage.gateway.manage('PATCH', path, { status: 'active' })
	})
})

describe('calls of one id that run at once in one session', () => {
	it('are answered each', async () => {
		const waiting: (() => void)[] = []
		stage.answer = ({ id }, response) => waiting.push(() => sendText(response, id, `answer ${id}`))
		const before = stage.upstream.calls().length
		const running = [stage.call(), stage.call(), stage.call({ progressToken: 'p' })]
		await until(() => stage.upstream.calls().length === before + 3, 10_000)
		for (const answer of waiting) answer()
		const answers = await Promise.all(running)
		expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
			[200, 5],
			[200, 5],
			[200, 5],
		])
		expect(new Set(answers.map(({ body }) => body.result.content[0].text)).size).toBe(3)
	})
	it('all end when their client cancels that id, and no others', async () => {
		hang()
		const before = stage.upstream.calls().length
		const running = [stage.call(), stage.call()]
		const other = stage.client.post({
			jsonrpc: '2.0',
			id: '5 1',
			method: 'tools/call',
			params: { name: 'run' },
		})
		await until(() => stage.upstream.calls().length === before + 3, 10_000)
		const cancel = (requestId: unknown) =>
			stage.client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
		let isOver = false
		void other.finally(() => {
			isOver = true
		})
		await cancel(5)
		await Promise.all(running)
		expect(isOver).toBe(false)
		await cancel('5 1')
		await other
	})
})

describe('a client that disconnects', () => {
	it('ends the call upstream', async () => {
		hang()
		const abort = new AbortController()
		const early = stage.upstream.closedEarly
		const before = stage.upstream.calls().length
		const running = stage.call({}, abort.signal).catch(() => {})
		await until(() => stage.upstream.calls().length > before, 10_000)
		abort.abort()
		await running
		await until(() => stage.upstream.closedEarly > early, 10_000)
		const cancelled = () =>
			stage.upstream.received.findLast((message) => message.method === 'notifications/cancelled')
		await until(() => cancelled()?.params.requestId === stage.upstream.calls().at(-1)?.id, 10_000)
		await until(() => stage.lastRow()?.status === 'interrupted', 10_000)
		expect(stage.lastRow()?.errorType).toBe('cancelled')
	})
	it('before its session was read runs nothing, and is recorded', async () => {
		const find = SessionStore.prototype.find
		const abort = new AbortController()
		const before = stage.upstream.calls().length
		const finds = vi.spyOn(SessionStore.prototype, 'find').mockImplementation(async function (
			this: SessionStore,
			...asked
		) {
			const found = await find.apply(this, asked)
			abort.abort()
			await sleep(100)
			return found
		})
		await stage.call({}, abort.signal).catch(() => {})
		await until(() => stage.lastRow() !== undefined, 10_000)
		finds.mockRestore()
		expect(stage.lastRow()).toMatchObject({ status: 'interrupted', errorType: 'cancelled' })
		expect(stage.upstream.calls()).toHaveLength(before)
	})
	it('or sends a cancellation in its session', async () => {
		hang()
		const before = stage.upstream.calls().length
		const running = stage.call()
		await until(() => stage.upstream.calls().length > before, 10_000)
		await stage.client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
		expect((await running).body).toBeNull()
		// The client was sent no error, so the record has no code of one.
		const nothingSent = { responseBytes: 0, rpcCode: null }
		expect(stage.lastRow()).toMatchObject({ status: 'interrupted', errorType: 'cancelled', ...nothingSent })
		expect(stage.lastRow()?.attributes.has('rpc.response.status_code')).toBe(false)
	})
})

describe('an upstream during a call', () => {
	it('streams progress and logs ahead of its answer, as they come', async () => {
		let finish = () => {}
		stage.answer = ({ id, params }, response) => {
			const { progressToken } = params._meta as { progressToken: number }
			expect(progressToken).toBe(id)
			sendEvents(
				response,
				{ method: 'notifications/progress', params: { progressToken, progress: 1 } },
				{ method: 'notifications/progress', params: { progressToken: 'alien', progress: 2 } },
			)
			sendEvents(
				response,
				{ method: 'notifications/message', params: { level: 'info', data: 'log' } },
				{ id: 999_999, result: {} },
			)
			finish = () => {
				sendEvents(response, { id, result: { content: [] } })
				response.end()
			}
		}
		const response = await fetch(`${stage.gateway.url}/mcp/tools`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${stage.agent.key}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				'mcp-session-id': stage.client.session,
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
		expect(stage.lastRow()?.responseBytes).toBe(Buffer.byteLength(text))
	})
	it('is not asked for progress if the client writes null for its token', async () => {
		let meta: unknown
		stage.answer = ({ id, params }, response) => {
			meta = params._meta
			sendText(response, id, 'done')
		}
		await stage.call({ progressToken: null })
		expect(meta).toEqual({ traceparent: expect.any(String) })
	})
	it('of the legacy era may use a word of the modern one, and runs the call once', async () => {
		const result = { resultType: 'input_required', content: [] }
		stage.answer = ({ id }, response) => sendEvents(response, { id, result })
		const before = stage.upstream.calls().length
		expect((await stage.call()).body.result).toEqual(result)
		expect(stage.upstream.calls()).toHaveLength(before + 1)
	})
	it('gets a clear refusal when it asks the client', async () => {
		stage.answer = ({ id }, response) =>
			sendEvents(
				response,
				{ id: 'q1', method: 'sampling/createMessage', params: {} },
				{ id, result: { content: [] } },
			)
		expect((await stage.call()).body.result).toEqual({ content: [] })
		await until(
			() =>
				stage.upstream.received.some((message) => message.text.includes('"id":"q1","error":{"code":-32601')),
			1000,
		)
	})
	it.each([404, 400] as const)(
		'that lost the session (%i) gets the call again in a new session, once',
		async (status) => {
			stage.upstream.lostStatus = status
			stage.answer = ({ id }, response) => sendText(response, id, 'ran')
			await stage.call()
			stage.upstream.sessions.clear()
			const before = stage.upstream.calls().length
			expect((await stage.call()).body.result.content[0].text).toBe('ran')
			expect(stage.upstream.calls()).toHaveLength(before + 2)
		},
	)
})

describe('a call whose body arrives slowly', () => {
	it.each(Object.keys(changes))('is decided by what holds when it runs: %s', async (name) => {
		stage.answer = ({ id }, response) => sendText(response, id, 'ran')
		const before = stage.upstream.calls().length
		const { gateway, agent, client } = stage
		const headers = {
			authorization: `Bearer ${agent.key}`,
			'content-type': 'application/json',
			'mcp-session-id': client.session,
		}
		const slow = request(`${gateway.url}/mcp/tools`, { method: 'POST', headers })
		const answered = new Promise<string>((resolve) => {
			slow.on('response', async (response) => resolve((await response.toArray()).join('')))
		})
		slow.write('{"jsonrpc":"2.0","id":1,"method":"tools/call",')
		await new Promise((resolve) => setTimeout(resolve, 100))
		await changes[name]?.()
		slow.end('"params":{"name":"run"}}')
		expect(JSON.parse(await answered)).toHaveProperty('error')
		expect(stage.upstream.calls()).toHaveLength(before)
	})
	it('is refused when permissions are too old by then', async () => {
		stage.answer = ({ id }, response) => sendText(response, id, 'ran')
		await stage.call()
		const before = stage.upstream.calls().length
		const { gateway, agent, client } = stage
		const headers = {
			authorization: `Bearer ${agent.key}`,
			'content-type': 'application/json',
			'mcp-session-id': client.session,
		}
		const slow = request(`${gateway.url}/mcp/tools`, { method: 'POST', headers })
		const answered = once(slow, 'response')
		slow.write('{"jsonrpc":"2.0","id":1,"method":"tools/call",')
		await sleep(100)
		gateway.stale = true
		slow.end('"params":{"name":"run"}}')
		const [response] = (await answered) as [IncomingMessage]
		gateway.stale = false
		expect((await response.toArray()).join('')).toContain('stale_permissions')
		expect(stage.upstream.calls()).toHaveLength(before)
	})
})

describe('the stream of a session', () => {
	it.each([
		...['pausing the agent', 'revoking the key', 'deleting the agent'],
		...['taking the scope from the key', 'allowing the key other addresses only'],
	])('ends within 1 s of %s', async (name) => {
		const headers = {
			authorization: `Bearer ${stage.agent.key}`,
			'mcp-session-id': stage.client.session,
			accept: 'text/event-stream',
		}
		const stream = await fetch(`${stage.gateway.url}/mcp/tools`, { headers })
		const ended = stream.text()
		await changes[name]?.()
		const startedMs = performance.now()
		await ended
		expect(performance.now() - startedMs).toBeLessThan(5000)
	})
})
