import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModernTestServer, objectSchema, startModernServer } from '../servers/testing.ts'
import { openTestGateway, type TestGateway } from './testing.ts'
import { newWireClient, type WireClient } from './testing-client.ts'

let gateway: TestGateway
let upstream: ModernTestServer
let client: WireClient
let key: string
const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'

beforeAll(async () => {
	gateway = await openTestGateway()
	upstream = await startModernServer({
		configure: (server) => {
			const where = { type: 'string', 'x-mcp-header': 'Where' }
			server.registerTool(
				'region',
				{ inputSchema: objectSchema<{ where: string }>({ where }) },
				async ({ where: text }) => ({ content: [{ type: 'text', text }] }),
			)
			server.registerPrompt('hello', { description: 'Greets' }, () => ({
				messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
			}))
		},
	})
	const agent = await gateway.addAgent('Rosa')
	await gateway.grant(agent.id, await gateway.addServer('Modern', upstream.url), null)
	key = agent.key
	client = newWireClient(`${gateway.url}/mcp/modern`, agent.key)
})
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

describe('2026-07-28', () => {
	it('discovers the endpoint', async () => {
		const { body } = await client.modern('server/discover')
		expect(body.result).toMatchObject({
			supportedVersions: ['2026-07-28'],
			capabilities: { tools: {}, prompts: {} },
			resultType: 'complete',
			cacheScope: 'private',
			_meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern-test' } },
		})
		expect(body.result.ttlMs).toBeTypeOf('number')
	})
	it('lists under a private, complete answer', async () => {
		const { body } = await client.modern('tools/list')
		expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
		expect(body.result.tools.map((tool: { name: string }) => tool.name)).toEqual([
			'echo',
			'add',
			'fail',
			'slow',
			'region',
		])
	})
	it('calls without a session', async () => {
		const { body } = await client.modern('tools/call', { name: 'echo', arguments: { message: 'x' } })
		expect(body.result).toMatchObject({ resultType: 'complete', content: [{ text: 'x' }] })
	})
	it('passes prompts to agents with access to all of them', async () => {
		const { body } = await client.modern('prompts/get', { name: 'hello' })
		expect(body.result.messages[0].content.text).toBe('Hello')
	})
	it('accepts an encoded name', async () => {
		const answer = await client.modern('tools/call', { name: 'hö' }, { 'mcp-name': '=?base64?aMO2?=' })
		expect(answer).toMatchObject({ status: 200, body: { error: { code: -32602 } } })
	})
	it('accepts a name as the bytes of UTF-8, as the SDK for Go sends it', async () => {
		for (const name of ['hö', 'voilà', '\u{1f600}']) {
			const bytes = Buffer.from(name).toString('latin1')
			const answer = await client.modern('tools/call', { name }, { 'mcp-name': bytes })
			expect(answer).toMatchObject({ status: 200, body: { error: { data: { tool: name } } } })
			const other = await client.modern('tools/call', { name }, { 'mcp-name': bytes.slice(0, -1) })
			expect(other).toMatchObject({ status: 400, body: { error: { code: -32020 } } })
		}
	})
})

const refused: [string, (c: WireClient) => ReturnType<WireClient['post']>, number, number][] = [
	['an unknown method', (c) => c.modern('no/such'), 404, -32601],
	['a method of the other era', (c) => c.modern('ping'), 404, -32601],
	[
		'another version in the header',
		(c) => c.modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
		400,
		-32020,
	],
	[
		'no version in the header',
		(c) => c.modern('tools/list', {}, { 'mcp-protocol-version': null }),
		400,
		-32020,
	],
	[
		'another method in the header',
		(c) => c.modern('tools/list', {}, { 'mcp-method': 'tools/call' }),
		400,
		-32020,
	],
	['no method in the header', (c) => c.modern('tools/list', {}, { 'mcp-method': null }), 400, -32020],
	[
		'another name in the header',
		(c) => c.modern('tools/call', { name: 'echo' }, { 'mcp-name': 'add' }),
		400,
		-32020,
	],
	[
		'no name in the header',
		(c) => c.modern('tools/call', { name: 'echo' }, { 'mcp-name': null }),
		400,
		-32020,
	],
	[
		'a broken encoding of the name',
		(c) => c.modern('tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?%?=' }),
		400,
		-32020,
	],
	[
		'a missing parameter header',
		(c) => c.modern('tools/call', { name: 'region', arguments: { where: 'eu' } }),
		400,
		-32020,
	],
	[
		'another value in a parameter header',
		(c) =>
			c.modern('tools/call', { name: 'region', arguments: { where: 'eu' } }, { 'mcp-param-where': 'us' }),
		400,
		-32020,
	],
	['no capabilities', (c) => c.modern('tools/list', {}, {}, { [capabilities]: undefined }), 400, -32602],
	['no version in `_meta`', (c) => c.modern('tools/list', {}, {}, { [version]: undefined }), 400, -32602],
	[
		'no `_meta` at all',
		(c) =>
			c.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
				'mcp-protocol-version': '2026-07-28',
				'mcp-method': 'tools/list',
			}),
		400,
		-32602,
	],
	[
		'a version of the future',
		(c) => c.modern('tools/list', {}, { 'mcp-protocol-version': '2027-01-01' }, { [version]: '2027-01-01' }),
		400,
		-32022,
	],
	['a handshake', (c) => c.modern('initialize'), 404, -32601],
	[
		'a batch',
		(c) =>
			c.post('[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', { 'mcp-protocol-version': '2026-07-28' }),
		400,
		-32600,
	],
]

describe('2026-07-28 refuses', () => {
	it.each(refused)('%s', async (_name, send, status, code) => {
		expect(await send(client)).toMatchObject({ status, body: { jsonrpc: '2.0', error: { code } } })
	})
	it('an unknown version, with the list of supported ones', async () => {
		const { body } = await client.modern(
			'tools/list',
			{},
			{ 'mcp-protocol-version': '2027-01-01' },
			{ [version]: '2027-01-01' },
		)
		expect(body.error.data).toEqual({ supported: ['2026-07-28'], requested: '2027-01-01' })
	})
})

describe('toward a modern server', () => {
	it('a parameter header is passed on', async () => {
		await client.modern(
			'tools/call',
			{ name: 'region', arguments: { where: 'eu' } },
			{ 'mcp-param-where': 'eu' },
		)
		expect(upstream.requests.at(-1)).toMatchObject({
			'mcp-param-where': 'eu',
			'mcp-name': 'region',
			'mcp-method': 'tools/call',
		})
	})
	it("a legacy client's call is translated to the modern era", async () => {
		const old = newWireClient(`${gateway.url}/mcp/modern`, key)
		await old.initialize()
		const { body } = await old.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })
		expect(body.result.structuredContent).toEqual({ sum: 3 })
		expect(body.result.resultType).toBeUndefined()
		expect((await old.request('prompts/list')).body.result).toEqual({
			prompts: [{ name: 'hello', description: 'Greets' }],
		})
	})
})
