import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSafeFetch } from '../../platform/safe-fetch.ts'
import { startEverythingServer, startEverythingSseServer, type TestMcpServer } from '../testing.ts'
import { type Discovery, discoverConditional, discoverServer } from './discovery.ts'
import { startHandler } from './testing.ts'

const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
const patience = { messageMs: 5000, totalMs: 5000 }
const ask = (url: string) =>
	discoverServer(safeFetch.dispatcher, { url, headers: new Map(), transportType: null }, patience)
const askFurther = (url: string, found: Discovery) =>
	discoverConditional(
		safeFetch.dispatcher,
		{ url, headers: new Map() },
		found,
		{ conditions: {}, areConditionsKnown: false },
		{ depth: 'conditions', patience, inTurn: false },
	)

const ending: (() => Promise<void> | void)[] = []
let everything: TestMcpServer
let sse: TestMcpServer

beforeAll(async () => {
	everything = await startEverythingServer()
	sse = await startEverythingSseServer()
	ending.push(everything.close, sse.close)
})
afterAll(async () => {
	for (const end of ending) await end()
	await safeFetch.close()
})

type Message = Record<string, unknown>

describe('tools for clients with certain abilities', () => {
	it('are found, together with the abilities that open each', async () => {
		for (const { url } of [everything, sse]) {
			const found = await ask(url)
			const { tools, conditions } = await askFurther(url, found)
			const names = ['get-roots-list', 'trigger-elicitation-request', 'trigger-sampling-request']
			expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
			expect(found.tools?.map(({ name }) => name)).not.toEqual(expect.arrayContaining(names))
			expect(conditions).toMatchObject({
				'get-roots-list': [['roots']],
				'trigger-sampling-request': [['sampling'], ['sampling.tools']],
				'trigger-url-elicitation': [['elicitation.url']],
			})
		}
	})

	/**
	 * Lists its tools only after its requests to the client were answered; it sends them in the response or on the session's stream.
	 */
	const asking = (where: 'answer' | 'stream') => {
		const answers = new Map<number, (answer: unknown) => void>()
		let stream: ServerResponse | null = null
		const say = (to: ServerResponse, message: object) => to.write(`data: ${JSON.stringify(message)}\n\n`)
		const askOne = (to: ServerResponse, id: number, method: string) =>
			new Promise<unknown>((resolve) => {
				answers.set(id, resolve)
				say(to, { jsonrpc: '2.0', id, method, params: {} })
			})
		let capabilities: { roots?: object } = {}
		const handle = async (message: Message, response: ServerResponse, request: IncomingMessage) => {
			if (request.method === 'DELETE') return void response.writeHead(200).end()
			if (request.method === 'GET') {
				stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
				return void response.flushHeaders()
			}
			const { id, method, params } = message as { id: number; method?: string; params: typeof message }
			if (method === undefined) answers.get(id)?.(message.result ?? message.error)
			if (method === undefined || id === undefined) return void response.writeHead(202).end()
			if (method === 'server/discover') return void response.writeHead(404).end()
			response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's' })
			if (method === 'initialize') {
				capabilities = params.capabilities as object
				const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
				return void response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
			}
			const tools: unknown[] = []
			if (capabilities.roots) {
				while (where === 'stream' && !stream) await new Promise((done) => setTimeout(done, 5))
				const to = where === 'stream' ? (stream as unknown as ServerResponse) : response
				const asked = ['roots/list', 'sampling/createMessage', 'elicitation/create', 'tasks/get', 'ping']
				for (const [at, each] of asked.entries())
					tools.push({ name: JSON.stringify(await askOne(to, 100 + at, each)) })
				stream = null
			}
			response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { tools } })}\n\n`)
		}
		return startHandler<Message>((...exchange) => void handle(...exchange))
	}

	it.each(['answer', 'stream'] as const)(
		'are listed by a server that first sends requests on its %s',
		async (where) => {
			const { url, close } = await asking(where)
			ending.push(close)
			const { tools } = await askFurther(url, await ask(url))
			expect(tools.map(({ name }) => JSON.parse(name))).toMatchObject([
				{ roots: [] },
				{ code: -1 },
				{ action: 'cancel' },
				{ code: -32601 },
				{},
			])
		},
	)

	/** A server of the 2024 transport that is slow to process notifications and offers its tools only after `initialized`. */
	const slowWithNotifications = (lost: boolean) => {
		const lines = new Map<string, { line: ServerResponse; capabilities?: object; isInitialized?: true }>()
		const handle = async (message: Message, response: ServerResponse, request: IncomingMessage) => {
			if (request.method === 'GET') {
				const id = String(lines.size)
				lines.set(id, { line: response.writeHead(200, { 'content-type': 'text/event-stream' }) })
				return void response.write(`event: endpoint\ndata: /message?id=${id}\n\n`)
			}
			const session = lines.get(new URL(String(request.url), 'http://x').searchParams.get('id') ?? '')
			if (!session) return void response.writeHead(405).end()
			const { id, method, params } = message as { id: number; method: string; params: typeof message }
			if (method === 'notifications/initialized') {
				if (lost) return void request.socket.destroy()
				await new Promise((done) => setTimeout(done, 100))
				session.isInitialized = true
			}
			response.writeHead(202).end()
			if (id === undefined) return
			if (method === 'initialize') session.capabilities = params.capabilities as object
			const isOpen = session.isInitialized && Object.keys(session.capabilities ?? {}).length > 0
			const result =
				method === 'initialize'
					? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: {} }
					: { tools: isOpen ? [{ name: 'opened' }] : [] }
			session.line.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
		}
		return startHandler<Message>((...exchange) => void handle(...exchange))
	}

	it('are listed after the server was notified that the client is ready', async () => {
		const { url, close } = await slowWithNotifications(false)
		ending.push(close)
		const { conditions } = await askFurther(url, await ask(url))
		expect(conditions.opened).toEqual(
			['roots', 'sampling', 'sampling.tools', 'elicitation', 'elicitation.url', 'ui'].map((one) => [one]),
		)
	})

	it('are not considered missing if the server was never notified', async () => {
		const { url, close } = await slowWithNotifications(true)
		ending.push(close)
		await expect(ask(url)).rejects.toThrow('connection was cut')
	})
})
