import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEverythingServer, startModernServer, type TestMcpServer } from '../servers/testing.ts'
import { openTestGateway, type TestGateway } from './testing.ts'
import { startScriptedUpstream } from './testing-upstream.ts'

/** The part of the two official clients that the tests use. */
interface StockClient {
	listTools(): Promise<{ tools: { name: string }[] }>
	callTool(
		call: { name: string; arguments: Record<string, unknown> },
		progress?: (value: { progress: number }) => void,
	): Promise<Record<string, unknown>>
	instructions(): string | undefined
	close(): Promise<void>
}

const introduction = { name: 'stock', version: '9' }
const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })

const clients: Record<string, (url: string, key: string) => Promise<StockClient>> = {
	'SDK v1': async (url, key) => {
		const client = new Client1(introduction)
		await client.connect(new Transport1(new URL(url), withKey(key)) as never)
		return {
			listTools: () => client.listTools(),
			callTool: (call, onprogress) => client.callTool(call, undefined, onprogress && { onprogress }),
			instructions: () => client.getInstructions(),
			close: () => client.close(),
		}
	},
	'SDK v2, legacy era': (url, key) => openClient2(url, key, {}),
	'SDK v2, 2026-07-28': (url, key) =>
		openClient2(url, key, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
	'SDK v2, finding out': (url, key) => openClient2(url, key, { versionNegotiation: { mode: 'auto' } }),
}

async function openClient2(url: string, key: string, options: object): Promise<StockClient> {
	const client = new Client2(introduction, options)
	await client.connect(new Transport2(new URL(url), withKey(key)))
	return {
		listTools: () => client.listTools(),
		callTool: (call, onprogress) => client.callTool(call, onprogress && { onprogress }),
		instructions: () => client.getInstructions(),
		close: () => client.close(),
	}
}

let gateway: TestGateway
let everything: TestMcpServer
let modern: TestMcpServer
let agent: { id: string; key: string }
let stored: { title: string; description: string; input_schema: object; annotations: object }
const serverNamed = async (name: string) =>
	(await gateway.manage('GET', '/v1/mcp/servers')).mcp_servers.find(
		(server: { name: string }) => server.name === name,
	).id

beforeAll(async () => {
	gateway = await openTestGateway()
	everything = await startEverythingServer()
	modern = await startModernServer()
	agent = await gateway.addAgent('Rosa')
	const down = await startScriptedUpstream([{ name: 'lost', inputSchema: { type: 'object' } }], () => {})
	await gateway.grant(agent.id, await gateway.addServer('Everything', everything.url), [
		'echo',
		'trigger-long-running-operation',
	])
	await gateway.grant(agent.id, await gateway.addServer('Modern', modern.url), null)
	await gateway.grant(agent.id, await gateway.addServer('Down', down.url), null)
	await down.close()
	stored = (
		await gateway.manage('GET', `/v1/mcp/servers/${await serverNamed('Everything')}/tools`)
	).tools.find((tool: { name: string }) => tool.name === 'echo')
})

afterAll(async () => {
	await gateway?.close()
	await everything?.close()
	await modern?.close()
})

describe.each(Object.keys(clients))('%s', (name) => {
	const open = (path: string) => (clients[name] as (typeof clients)[string])(gateway.url + path, agent.key)

	it('sees exactly the granted tools of one server, with every field', async () => {
		const client = await open('/mcp/everything')
		const { tools } = await client.listTools()
		expect(tools.map((tool) => tool.name)).toEqual(['echo', 'trigger-long-running-operation'])
		const { title, description, input_schema: inputSchema, annotations } = stored
		expect(tools[0]).toMatchObject({ title, description, inputSchema, annotations })
		await client.close()
	})

	it('calls a legacy server', async () => {
		const client = await open('/mcp/everything')
		expect(await client.callTool({ name: 'echo', arguments: { message: 'hü 🎺' } })).toMatchObject({
			content: [{ type: 'text', text: 'Echo: hü 🎺' }],
		})
		await client.close()
	})

	it('calls a modern server', async () => {
		const client = await open('/mcp/modern')
		expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
			structuredContent: { sum: 5 },
		})
		expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true })
		await client.close()
	})

	it('sees and calls all servers at once, whatever one of them does', async () => {
		const client = await open('/mcp')
		const { tools } = await client.listTools()
		expect(tools.map((tool) => tool.name)).toEqual([
			'down__lost',
			'everything__echo',
			'everything__trigger-long-running-operation',
			'modern__echo',
			'modern__add',
			'modern__fail',
			'modern__slow',
		])
		expect(await client.callTool({ name: 'everything__echo', arguments: { message: 'a' } })).toMatchObject({
			content: [{ text: 'Echo: a' }],
		})
		expect(await client.callTool({ name: 'modern__echo', arguments: { message: 'b' } })).toMatchObject({
			content: [{ text: 'b' }],
		})
		await expect(client.callTool({ name: 'down__lost', arguments: {} })).rejects.toThrow(
			/Down could not be reached/,
		)
		expect(client.instructions()).toContain('Its tools are named everything__*')
		await client.close()
	})

	it('is refused a tool that is not granted, by name', async () => {
		const client = await open('/mcp/everything')
		const refusal = client.callTool({ name: 'get-env', arguments: {} })
		await expect(refusal).rejects.toThrow('The tool get-env of Everything is not granted to Rosa')
		await expect(refusal).rejects.toMatchObject({
			code: -32602,
			data: { code: 'tool_not_granted', tool: 'get-env', agent: 'Rosa', server: 'Everything' },
		})
		await expect(client.callTool({ name: 'no-such', arguments: {} })).rejects.toThrow(
			'The tool no-such of Everything is not granted to Rosa',
		)
		await client.close()
	})

	it('gets progress notifications', async () => {
		const client = await open('/mcp/everything')
		const seen: number[] = []
		const result = await client.callTool(
			{ name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 2 } },
			({ progress }) => seen.push(progress),
		)
		expect(result).toMatchObject({ content: [{ type: 'text' }] })
		expect(seen).toEqual([1, 2])
		await client.close()
	})

	it('leaves a row for each call', async () => {
		gateway.rows.length = 0
		const client = await open('/mcp/everything')
		await client.callTool({ name: 'echo', arguments: { message: 'x' } })
		await client.callTool({ name: 'get-env', arguments: {} }).catch(() => {})
		await client.close()
		const calls = gateway.rows.filter((row) => row.kind === 'tool_call')
		expect(calls).toHaveLength(2)
		expect(calls[0]).toMatchObject({
			name: 'tools/call echo',
			status: 'ok',
			toolName: 'echo',
			serverName: 'Everything',
			agentId: agent.id,
			agentName: 'Rosa',
			client: 'stock/9',
			source: 'gateway',
			errorType: '',
			mcpMethod: 'tools/call',
		})
		expect(calls[0]?.durationNs).toBeGreaterThan(100_000n)
		expect(calls[1]).toMatchObject({
			status: 'denied',
			toolName: 'get-env',
			errorType: 'tool_not_granted',
			rpcCode: -32602,
		})
	})
})
