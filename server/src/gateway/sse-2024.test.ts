import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEverythingSseServer, type TestMcpServer } from '../servers/testing.ts'
import { openTestGateway, type TestGateway } from './testing.ts'

const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })

describe('servers of the 2024 transport (HTTP+SSE)', () => {
	let gateway: TestGateway
	let everything: TestMcpServer
	let scripted: Awaited<ReturnType<typeof startScripted>>
	let agent: { id: string; key: string }
	beforeAll(async () => {
		gateway = await openTestGateway({ handshakeMs: 1000 })
		everything = await startEverythingSseServer()
		scripted = await startScripted()
		agent = await gateway.addAgent('Rosa')
		for (const [name, url] of [
			['old', everything.url],
			['scripted', scripted.url],
		] as const)
			await gateway.grant(agent.id, await gateway.addServer(name, url, { 'x-own': 'CANARY' }), null)
	})
	afterAll(async () => {
		await gateway.close()
		await everything.close()
		await scripted.close()
	})
	const connect = async (path: string, capabilities = {}) => {
		const client = new Client1({ name: 'stock', version: '1' }, { capabilities })
		await client.connect(new Transport1(new URL(gateway.url + path), withKey(agent.key)) as never)
		return client
	}

	it('are called by a stock client of streamable HTTP, with progress', async () => {
		const client = await connect('/mcp/old')
		expect((await client.listTools()).tools.length).toBeGreaterThan(5)
		const echo = await client.callTool({ name: 'echo', arguments: { message: 'old' } })
		expect(JSON.stringify(echo)).toContain('Echo: old')
		let steps = 0
		const call = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }
		const onprogress = () => {
			steps += 1
		}
		await client.callTool(call, undefined, { onprogress })
		expect(steps).toBeGreaterThan(0)
		await client.close()
	})

	it('ask the client on its own stream', async () => {
		const client = await connect('/mcp/scripted', { elicitation: {} })
		client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }))
		const answer = await client.callTool({ name: 'ask', arguments: {} })
		expect(JSON.stringify(answer)).toContain('accept')
		await client.close()
	})

	it('ask in a second call while the first one waits for its log level to be set', async () => {
		const client = await connect('/mcp/scripted', { elicitation: {} })
		client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }))
		await client.setLoggingLevel('debug')
		const first = client.callTool({ name: 'echo', arguments: {} })
		await expect.poll(() => scripted.setLevel).toBeDefined()
		const second = await client.callTool({ name: 'ask', arguments: {} })
		expect(JSON.stringify(second)).toContain('accept')
		scripted.setLevel?.()
		expect(JSON.stringify(await first)).toContain('echo')
		await client.close()
	})

	it('get their configured headers and nothing from the caller', async () => {
		const client = await connect('/mcp/scripted')
		await client.callTool({ name: 'echo', arguments: {} })
		const { headers } = scripted.posts.at(-1) as { headers: Record<string, unknown> }
		expect(headers['x-own']).toBe('CANARY')
		expect(JSON.stringify(headers)).not.toContain(agent.key)
		expect(headers['mcp-session-id']).toBeUndefined()
		await client.close()
	})

	it('give an error at once when they cut their stream during a call, and get a new stream with the next call', async () => {
		const client = await connect('/mcp/scripted')
		await expect(client.callTool({ name: 'cut', arguments: {} })).rejects.toMatchObject({
			message: expect.stringContaining('scripted closed the connection before it answered.'),
			data: { code: 'upstream_unreachable' },
		})
		const again = await client.callTool({ name: 'echo', arguments: {} })
		expect(JSON.stringify(again)).toContain('echo')
		await client.close()
	})

	it('are notified of a cancellation', async () => {
		const client = await connect('/mcp/scripted')
		const leaving = new AbortController()
		const call = client.callTool({ name: 'hang', arguments: {} }, undefined, { signal: leaving.signal })
		await expect.poll(() => scripted.posts.some(({ text }) => text.includes('"hang"'))).toBe(true)
		leaving.abort()
		await expect(call).rejects.toThrow()
		await expect
			.poll(() => scripted.posts.some(({ text }) => text.includes('notifications/cancelled')))
			.toBe(true)
		await client.close()
	})

	/** A client with a call that never ends, and how to cancel that. */
	const connectAndHang = async (fill: () => Promise<{ action: 'accept'; content: object }>) => {
		const client = await connect('/mcp/scripted', { elicitation: {} })
		client.setRequestHandler(ElicitRequestSchema, fill as never)
		const leaving = new AbortController()
		const before = scripted.posts.length
		const hanging = client.callTool({ name: 'hang', arguments: {} }, undefined, { signal: leaving.signal })
		const isSent = () => scripted.posts.slice(before).some(({ text }) => text.includes('"hang"'))
		await expect.poll(isSent).toBe(true)
		const cancel = async () => {
			leaving.abort()
			await expect(hanging).rejects.toThrow()
			const isTold = () => scripted.posts.slice(before).some(({ text }) => text.includes('/cancelled'))
			await expect.poll(isTold).toBe(true)
		}
		return { client, cancel }
	}

	it('ask between calls, also after the last one was cancelled', async () => {
		const { client, cancel } = await connectAndHang(async () => ({ action: 'accept', content: {} }))
		await cancel()
		expect(await scripted.ask()).toEqual({ action: 'accept', content: {} })
		await client.close()
	})

	it('keep an input request that arrived while a call ran that is then cancelled', async () => {
		let isAsked = false
		let answer = () => {}
		const { client, cancel } = await connectAndHang(() => {
			isAsked = true
			return new Promise((resolve) => {
				answer = () => resolve({ action: 'accept', content: {} })
			})
		})
		const asking = client.callTool({ name: 'ask', arguments: {} })
		await expect.poll(() => isAsked).toBe(true)
		await cancel()
		answer()
		expect(JSON.stringify(await asking)).toContain('accept')
		await client.close()
	})

	it('get no message if they name an endpoint of another origin', async () => {
		const before = scripted.posts.length
		scripted.endpoint = 'http://127.0.0.2:1/steal'
		scripted.cut()
		const client = await connect('/mcp/scripted')
		await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toThrow(/another origin/)
		expect(scripted.posts.length).toBe(before)
		scripted.endpoint = '/message'
		await client.close()
	})
})

/** A server of the 2024 transport whose tools misbehave. It holds one stream at a time. */
async function startScripted() {
	const streams = new Map<string, ServerResponse>()
	const waiting = new Map<string, (result: object) => void>()
	/** `setLevel` sends the answer to `logging/setLevel`, which is held back. */
	const state = {
		endpoint: '/message',
		posts: [] as { headers: object; text: string }[],
		setLevel: undefined as (() => void) | undefined,
	}
	let last = 0
	const nextSession = () => {
		last += 1
		return String(last)
	}
	const tools = ['ask', 'echo', 'cut', 'hang'].map((name) => ({ name, inputSchema: { type: 'object' } }))
	const ask = (stream: ServerResponse) => {
		const params = { message: '?', requestedSchema: { type: 'object', properties: {} } }
		const message = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }
		stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
		return new Promise<object>((done) => waiting.set('q', done))
	}
	const answer = async (
		stream: ServerResponse,
		{ id, method, params, result, error }: Record<string, never>,
	) => {
		const say = (message: object) =>
			stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
		if (!method) return waiting.get(String(id))?.(result ?? error ?? {})
		if (id === undefined) return
		const info = { capabilities: { tools: {}, logging: {} }, serverInfo: { name: 's', version: '1' } }
		const name = (params as { name?: string } | undefined)?.name
		if (method === 'initialize') say({ id, result: { protocolVersion: '2024-11-05', ...info } })
		else if (method === 'tools/list') say({ id, result: { tools } })
		else if (method === 'logging/setLevel') state.setLevel = () => void say({ id, result: {} })
		else if (name === 'cut') stream.destroy()
		else if (name === 'ask') {
			const given = await ask(stream)
			say({ id, result: { content: [{ type: 'text', text: JSON.stringify(given) }] } })
		} else if (name === 'echo') say({ id, result: { content: [{ type: 'text', text: 'echo' }] } })
	}
	const server = createServer(async (request, response) => {
		if (request.method === 'GET') {
			const session = nextSession()
			streams.set(session, response)
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.write(`event: endpoint\ndata: ${state.endpoint}?session=${session}\n\n`)
			return
		}
		const stream = streams.get(new URL(request.url ?? '', 'http://x').searchParams.get('session') ?? '')
		let text = ''
		for await (const chunk of request) text += chunk
		if (!stream) return void response.writeHead(405).end()
		state.posts.push({ headers: request.headers, text })
		response.writeHead(202).end()
		await answer(stream, JSON.parse(text))
	})
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const cut = () => {
		for (const stream of streams.values()) stream.destroy()
	}
	const close = async () => {
		cut()
		server.closeAllConnections()
		await new Promise((done) => server.close(done))
	}
	return Object.assign(state, {
		/** Asks on the newest stream, outside a call. */
		ask: () => ask([...streams.values()].at(-1) as ServerResponse),
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
		cut,
		close,
	})
}
