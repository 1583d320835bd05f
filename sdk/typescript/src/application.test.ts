import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterAll, expect, it } from 'vitest'
import { instrument } from './instrument.ts'

afterAll(() => trace.disable())

it("sends its spans to the application's own provider, whatever endpoint is configured, with the requested attribute names", async () => {
	const exporter = new InMemorySpanExporter()
	trace.setGlobalTracerProvider(
		new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
	)
	const server = new McpServer({ name: 'app', version: '1' })
	server.tool('echo', async () => ({ content: [] }))
	const handle = instrument(server, { endpoint: 'http://127.0.0.1:1', conventions: 'earlier' })
	const client = new Client({ name: 'tester', version: '9' })
	const [near, far] = InMemoryTransport.createLinkedPair()
	await Promise.all([server.connect(far), client.connect(near)])
	await client.callTool({ name: 'echo' })
	await handle.flush()
	const span = exporter.getFinishedSpans().find(({ name }) => name === 'tools/call echo')
	expect(span?.attributes).toMatchObject({ 'mcp.tool.name': 'echo', 'mcp.client.name': 'tester' })
	expect(span?.attributes).not.toHaveProperty('gen_ai.tool.name')
	expect(handle.stats().ended).toBe(0)
})
