import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { fromJsonSchema } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEverythingServer, startModernServer, type TestMcpServer } from '../servers/testing.ts'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { type ScriptedUpstream, sendJson, startScriptedUpstream } from './testing-upstream.ts'

/** Lists tools of which some are malformed. */
const tools = [
	{ name: 'bare' },
	{ name: 'null', inputSchema: null, title: null, annotations: null, icons: null },
	{ name: 'number', outputSchema: { type: 'integer' } },
	{ name: 'none' },
	{ name: 'wrong', inputSchema: { type: 'string', properties: { a: true } }, description: 5 },
]
const lists: Record<string, object> = {
	'prompts/list': {
		prompts: [
			{ name: 'p', arguments: null },
			{ name: 'q', icons: 'none' },
		],
	},
	'resources/list': { resources: [{ uri: 'bad:nameless' }, { uri: 'bad:null', name: null, mimeType: null }] },
	'resources/templates/list': {
		resourceTemplates: [{ uriTemplate: 'bad:{x}', annotations: { priority: 9 } }],
	},
}

let gateway: TestGateway
let agent: TestAgent
let disorderly: ScriptedUpstream
const servers: TestMcpServer[] = []

beforeAll(async () => {
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	const results: Record<string, object> = {
		number: { content: [{ type: 'text', text: 'three' }], structuredContent: 3 },
		none: { content: [], structuredContent: null },
	}
	disorderly = await startScriptedUpstream(tools, ({ id, method, params }, response) => {
		const result = lists[method] ?? results[String(params.name)] ?? { content: [] }
		sendJson(response, 200, { jsonrpc: '2.0', id, result })
	})
	const everything = await startEverythingServer()
	const modern = await startModernServer({
		configure: (server) =>
			void server.registerTool(
				'numbers',
				{
					description: 'Counts',
					outputSchema: fromJsonSchema({ type: 'array', items: { type: 'number' } }) as never,
				},
				async () => ({ content: [], structuredContent: [1, 2, 3] }) as never,
			),
	})
	servers.push(everything, modern)
	for (const [name, url] of Object.entries({
		Bad: disorderly.url,
		Everything: everything.url,
		Modern: modern.url,
	}))
		await gateway.grant(agent.id, await gateway.addServer(name, url), null)
})
afterAll(async () => {
	await gateway?.close()
	await disorderly?.close()
	for (const server of servers) await server.close()
})

const headers = () => ({ requestInit: { headers: { authorization: `Bearer ${agent.key}` } } })
const url = () => new URL(`${gateway.url}/mcp`)
const clients = {
	'SDK v1': async () => {
		const client = new Client1({ name: 'stock', version: '1' })
		await client.connect(new Transport1(url(), headers()) as never)
		return client
	},
	'SDK v2, legacy era': () => open2({}),
	'SDK v2, 2026-07-28': () => open2({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
}
async function open2(options: object) {
	const client = new Client2({ name: 'stock', version: '1' }, options)
	await client.connect(new Transport2(url(), headers()))
	return client
}

describe.each(Object.keys(clients) as (keyof typeof clients)[])('%s', (name) => {
	it('sees what all servers list, although one of them sends a malformed list', async () => {
		const client = await clients[name]()
		const listed = (await client.listTools()).tools.map((tool) => tool.name)
		expect(listed).toEqual(
			expect.arrayContaining(['bad__bare', 'bad__null', 'bad__wrong', 'everything__echo', 'modern__numbers']),
		)
		const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name)
		expect(prompts).toEqual(expect.arrayContaining(['bad__p', 'bad__q', 'everything__simple-prompt']))
		const { resources } = await client.listResources()
		expect(resources.filter(({ uri }) => uri.startsWith('bad:')).map((each) => each.name)).toEqual([
			...['bad:nameless', 'bad:null'],
		])
		expect(resources.length).toBeGreaterThan(2)
		const { resourceTemplates } = await client.listResourceTemplates()
		expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('bad:{x}')
		await client.callTool({ name: 'bad__bare', arguments: {} })
		await client.close()
	})

	it('calls a tool of a legacy server whose output is not an object', async () => {
		const client = await clients[name]()
		const outputs = []
		// The second calls go the short way.
		for (const tool of ['number', 'number', 'none', 'none'])
			outputs.push((await client.callTool({ name: `bad__${tool}`, arguments: {} })).structuredContent)
		expect(outputs).toEqual(
			name.endsWith('28') ? [3, 3, null, null] : [{ result: 3 }, { result: 3 }, undefined, undefined],
		)
		await client.close()
	})

	it('calls a tool of a modern server whose output is not an object', async () => {
		const client = await clients[name]()
		await client.listTools()
		const { structuredContent } = await client.callTool({ name: 'modern__numbers', arguments: {} })
		expect(structuredContent).toEqual(name.endsWith('28') ? [1, 2, 3] : { result: [1, 2, 3] })
		await client.close()
	})
})
