import { createServer } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { instrument, instrumentClient } from './instrument.ts'
import { agentOf, contextOf, withTraceContext } from './observe/trace-context.ts'
import type { Handle, Options } from './options.ts'
import { OwnPipeline } from './pipeline/own-pipeline.ts'
import { type Collector, startCollector } from './testing/collector.ts'

let collector: Collector
beforeAll(async () => {
	collector = await startCollector()
})
afterAll(() => collector.close())

let names = 0

/** A connected client and server, of which the server is observed, with a separate pipeline. */
async function connectPair(
	options: Options = {},
): Promise<{ client: Client; handle: Handle; server: McpServer }> {
	const server = new McpServer({ name: `pair-${++names}`, version: '1' })
	server.tool('echo', async () => ({ content: [{ type: 'text', text: 'echo' }] }))
	const handle = instrument(server, { endpoint: collector.url, ...options })
	const client = new Client({ name: 'tester', version: '9' })
	const [near, far] = InMemoryTransport.createLinkedPair()
	await Promise.all([server.connect(far), client.connect(near)])
	return { client, handle, server }
}

describe('a faulty endpoint', () => {
	it.each([
		[503, { 'retry-after': '0' }],
		[429, {}],
		[502, {}],
	])('that answers %i gets the same spans again, once', async (status, headers) => {
		const { client, handle } = await connectPair()
		collector.answer = (response) => {
			collector.answer = null
			response.writeHead(status, headers as Record<string, string>).end()
		}
		await client.callTool({ name: 'echo' })
		await handle.flush()
		await expect
			.poll(async () => {
				await handle.flush()
				return handle.stats()
			})
			.toEqual({ ended: 2, sent: 2, dropped: 0, refused: 0, waiting: 0 })
	})

	it('that refuses spans does not get them again, and they are counted', async () => {
		const { client, handle } = await connectPair()
		collector.answer = (response) => response.writeHead(401).end()
		await client.callTool({ name: 'echo' })
		await handle.flush()
		collector.answer = null
		expect(handle.stats()).toEqual({ ended: 2, sent: 0, dropped: 0, refused: 2, waiting: 0 })
	})

	it('is reported to a log that throws, and gets the spans again', async () => {
		const log = () => {
			throw new Error('a bad log')
		}
		const { client, handle } = await connectPair({ log })
		collector.answer = (response) => {
			collector.answer = null
			response.writeHead(503, { 'retry-after': '0' }).end()
		}
		await client.callTool({ name: 'echo' })
		await expect.poll(() => handle.stats().sent).toBe(2)
	})

	it('gets a span that ended at the moment when all others had been settled', async () => {
		collector.answer = (response) => {
			collector.answer = null
			response.writeHead(401).end()
		}
		const log = () => queueMicrotask(() => pipeline.startSpan('second', {}, ROOT_CONTEXT).end())
		const pipeline = new OwnPipeline(readConfig({ endpoint: collector.url, log }), `pipeline-${++names}`)
		pipeline.startSpan('first', {}, ROOT_CONTEXT).end()
		await expect
			.poll(() => pipeline.stats())
			.toEqual({ ended: 2, sent: 1, dropped: 0, refused: 1, waiting: 0 })
	})

	it('that refuses some of the spans is reported, and they are counted', async () => {
		const logged: string[] = []
		process.env.OTEL_RESOURCE_ATTRIBUTES = 'service.name=named%20by%20the%20environment'
		const { client, handle } = await connectPair({ log: (message) => logged.push(message) })
		delete process.env.OTEL_RESOURCE_ATTRIBUTES
		collector.answer = (response) => response.end(Buffer.from([10, 2, 8, 1]))
		await client.callTool({ name: 'echo' })
		await handle.flush()
		collector.answer = null
		expect(handle.stats()).toEqual({ ended: 2, sent: 1, dropped: 0, refused: 1, waiting: 0 })
		expect(logged).toEqual(['The endpoint refused some spans.'])
		await client.callTool({ name: 'echo' })
		await handle.flush()
		expect(collector.spans.at(-1)?.serviceName).toBe('named by the environment')
	})

	it('that breaks off in the middle of its answer has received them', async () => {
		const { client, handle } = await connectPair()
		collector.answer = (response) => {
			response.writeHead(200, { 'content-length': 100 }).write('x')
			setTimeout(() => response.destroy(), 20)
		}
		await client.callTool({ name: 'echo' })
		await handle.flush()
		collector.answer = null
		expect(handle.stats()).toMatchObject({ sent: 2, waiting: 0 })
	})

	it('that is down, does not support TLS or never answers costs bounded memory and no call', async () => {
		const silent = createServer(() => {})
		await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
		const { port } = silent.address() as { port: number }
		for (const endpoint of [
			'http://127.0.0.1:1',
			collector.url.replace('http', 'https'),
			`http://127.0.0.1:${port}`,
		]) {
			const logged: string[] = []
			const log = (message: string) => logged.push(message)
			const { client, handle } = await connectPair({ endpoint, log })
			for (let i = 0; i < 3000; i++) await client.callTool({ name: 'echo' })
			const startedMs = performance.now()
			await handle.flush()
			expect(performance.now() - startedMs).toBeLessThan(3000)
			const { ended, dropped, waiting, sent } = handle.stats()
			expect([ended, sent, dropped + waiting]).toEqual([3001, 0, 3001])
			expect(waiting).toBeLessThanOrEqual(2048 + 512)
			expect(logged.filter((each) => each.startsWith('Spans are dropped'))).toHaveLength(1)
		}
		silent.close()
	})
})

describe('the host', () => {
	it('is not affected by failures inside the SDK', async () => {
		const { client, handle, server } = await connectPair({
			capture: true,
			log: () => {
				throw new Error('a bad log')
			},
		})
		server.tool('nasty', async () => ({
			content: [],
			_meta: {
				get trap(): never {
					throw new Error('a trap')
				},
			},
		}))
		expect(await client.callTool({ name: 'echo' })).toMatchObject({ content: [{ text: 'echo' }] })
		await handle.shutdown()
		expect(() => instrument(null as never)).not.toThrow()
		expect(() => instrument({} as never, 5 as never)).not.toThrow()
	})

	it('that cannot send an answer is recorded as failed, and progress without a token as that of no request', async () => {
		const server = new McpServer({ name: `pair-${++names}`, version: '1' })
		server.tool('wrong', async (extra) => {
			await extra.sendNotification({ method: 'notifications/progress', params: { progress: 1 } } as never)
			return { content: [], _meta: { total: 1n } }
		})
		const handle = instrument(server, { endpoint: collector.url, capture: true })
		const client = new Client({ name: 'tester', version: '9' })
		const [near, far] = InMemoryTransport.createLinkedPair()
		const send = far.send.bind(far)
		far.send = async (message) => send(JSON.parse(JSON.stringify(message)))
		await Promise.all([server.connect(far), client.connect(near)])
		collector.spans.length = 0
		client.callTool({ name: 'wrong' }).catch(() => {})
		await expect.poll(() => handle.stats()).toMatchObject({ ended: 2, sent: 2 })
		const span = collector.spans.find(({ name }) => name === 'tools/call wrong')
		expect([span?.errorType, span?.status]).toEqual(['TypeError', 'error'])
		expect(span?.attributes.has('signalbox.progress.count')).toBe(false)
		await client.close()
	})

	it('gets the same result object that it returned, and the error that it threw', async () => {
		const { server } = await connectPair()
		const sent: unknown[] = []
		const [near, far] = InMemoryTransport.createLinkedPair()
		const send = far.send.bind(far)
		far.send = (message) => {
			sent.push(message)
			return send(message)
		}
		const result = { tools: [] }
		const low = new McpServer({ name: 'low', version: '1' }, { capabilities: { tools: {} } }).server
		const { ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
		low.setRequestHandler(ListToolsRequestSchema, () => result)
		instrument(low, { endpoint: collector.url })
		const client = new Client({ name: 'tester', version: '9' })
		await Promise.all([low.connect(far), client.connect(near)])
		await client.listTools()
		expect((sent.at(-1) as { result: unknown }).result).toBe(result)
		await server.close()
	})

	it('is recorded below its caller, whatever its baggage is like', () => {
		const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
		const request = (baggage: string) => ({ id: 1, method: 'ping', params: { _meta: { baggage } } })
		const extra = { requestInfo: { headers: { traceparent } } }
		const context = contextOf(request('k=1,gen_ai.agent.name=Ada'), extra, ROOT_CONTEXT)
		expect(trace.getSpanContext(context)?.spanId).toBe('cd'.repeat(8))
		expect(agentOf(context)).toBe('Ada')
		const sent = withTraceContext({ id: 2, method: 'ping' }, context, 'Bob')
		expect(sent.params?._meta).toEqual({ traceparent, baggage: 'k=1,gen_ai.agent.name=Bob' })
		expect(agentOf(contextOf(request('gen_ai.agent.name=100%'), undefined, ROOT_CONTEXT))).toBe('100%')
	})

	it('is recorded by both sides in one trace, and no longer after the shutdown', async () => {
		const { client, handle } = await connectPair()
		await client.close()
		const server = new McpServer({ name: 'both', version: '1' })
		server.tool('echo', async () => ({ content: [] }))
		const far = instrument(server, { endpoint: collector.url })
		const other = new Client({ name: 'tester', version: '9' })
		const near = instrumentClient(other, { endpoint: collector.url, agent: 'Ada' })
		expect(instrument(server)).toBe(far)
		const [a, b] = InMemoryTransport.createLinkedPair()
		await Promise.all([server.connect(a), other.connect(b)])
		collector.spans.length = 0
		await other.callTool({ name: 'echo' })
		await Promise.all([near.shutdown(), far.shutdown(), handle.shutdown()])
		const calls = collector.spans.filter(({ name }) => name === 'tools/call echo')
		const [caller, answerer] = [3, 2].map((kind) => calls.find(({ otlpKind }) => otlpKind === kind))
		expect(answerer).toMatchObject({ traceId: caller?.traceId, parentSpanId: caller?.spanId })
		expect(answerer?.attributes.get('gen_ai.agent.name')).toBe('Ada')
		const before = far.stats().ended
		await other.callTool({ name: 'echo' })
		expect(far.stats().ended).toBe(before)
	})
})
