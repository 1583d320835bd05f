import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
	Client,
	StreamableHTTPClientTransport as Transport,
	type VersionNegotiationOptions,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import { openTestGateway, type TestGateway } from './testing.ts'

let gateway: TestGateway
let fixture: Fixture
let agent: { id: string; key: string }
let serverId: string

/** Adds a tool that asks in the way before 2026-07-28: during the call, which the modern era does not allow. */
function addOldQuestion(server: McpServer): void {
	server.registerTool('ask_in_the_old_way', { description: 'Asks who is there.' }, async () => {
		const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const
		const { content } = await server.server.elicitInput({ message: 'Who?', requestedSchema })
		return { content: [{ type: 'text', text: `It is ${content?.name}.` }] }
	})
}

beforeAll(async () => {
	gateway = await openTestGateway()
	agent = await gateway.addAgent('Rosa')
	fixture = await startFixture('both', 0, addOldQuestion)
	serverId = await gateway.addServer('both', fixture.url)
	await gateway.grant(agent.id, serverId, null)
})
afterAll(async () => {
	await gateway?.close()
	await fixture?.close()
})

const health = (id = serverId) => gateway.manage('GET', `/v1/mcp/servers/${id}/health`)
const configure = (configuration: object) =>
	gateway.manage('PATCH', `/v1/mcp/servers/${serverId}`, { configuration })
/** The change of the version makes a check due at once. */
const isSpokenTo = (version: string) =>
	expect
		.poll(() => health(), { timeout: 10_000, interval: 20 })
		.toMatchObject({ status: 'healthy', protocol_version: version })

async function ask(versionNegotiation?: VersionNegotiationOptions): Promise<unknown> {
	const options = { capabilities: { elicitation: {} }, ...(versionNegotiation && { versionNegotiation }) }
	const client = new Client({ name: 'stock', version: '1' }, options)
	client.setRequestHandler('elicitation/create', async () => ({
		action: 'accept',
		content: { name: 'Rosa' },
	}))
	const requestInit = { headers: { authorization: `Bearer ${agent.key}` } }
	await client.connect(new Transport(new URL(`${gateway.url}/mcp/both`), { requestInit }))
	try {
		return await client.callTool({ name: 'ask_in_the_old_way', arguments: {} })
	} finally {
		await client.close()
	}
}
const answered = { content: [{ type: 'text', text: 'It is Rosa.' }] }

describe('a server of both eras that asks in the legacy way', () => {
	it('is used in the era of each client: a legacy client is asked, for a modern one there is no such way', async () => {
		expect(await health()).toMatchObject({ status: 'healthy', protocol_version: '2026-07-28' })
		expect(await ask()).toMatchObject(answered)
		expect(await ask({ mode: { pin: '2026-07-28' } })).toMatchObject({ isError: true })
		expect(await ask()).toMatchObject(answered)
	})

	it('is used in the legacy era where its configuration says so, and asks clients of both eras', async () => {
		await configure({ protocol_era: 'legacy', team: 'blue' })
		await isSpokenTo('2025-11-25')
		expect(await ask()).toMatchObject(answered)
		expect(await ask({ mode: { pin: '2026-07-28' } })).toMatchObject(answered)
		await configure({ protocol_era: 'legacy', team: 'red' })
		expect(await health()).toMatchObject({ status: 'healthy', protocol_version: '2025-11-25' })
	})

	it('is used in the newest era again when the configuration is removed', async () => {
		await configure({ team: 'blue' })
		await isSpokenTo('2026-07-28')
	})

	it('can be registered with that configuration', async () => {
		const body = { name: 'Older', url: fixture.url, configuration: { protocol_era: 'legacy' } }
		const { id } = await gateway.manage('POST', '/v1/mcp/servers', body)
		expect(await health(id)).toMatchObject({ status: 'healthy', protocol_version: '2025-11-25' })
	})

	it('accepts no value that would have no effect', async () => {
		const told = configure({ protocol_era: '2025-06-18' })
		await expect(told).rejects.toThrow('body/configuration/protocol_era: is `legacy` (2025-11-25 at most)')
	})
})

/**
 * Resources can be watched in the modern era only: like servers of Python's SDK 2, or, if stateless, like those of the SDKs for Go and
 * Rust, which take subscriptions in the legacy era but have no session to announce a change to.
 */
async function startWatchedInModernOnly(isStateless: boolean) {
	const streams = new Set<{ id: unknown; response: ServerResponse }>()
	const listener = createServer(async (request, response) => {
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		if (request.method !== 'POST') return response.writeHead(405).end()
		const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
		if (id === undefined) return response.writeHead(202).end()
		if (method === 'subscriptions/listen') {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			streams.add({ id, response })
			return say(id, response, 'subscriptions/acknowledged', { notifications: params.notifications })
		}
		const isModern = request.headers['mcp-protocol-version'] === '2026-07-28'
		const serverInfo = { name: 'watched', version: '1' }
		const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
		const supportedVersions = ['2026-07-28']
		const results: Record<string, object> = {
			initialize: {
				protocolVersion: '2025-11-25',
				capabilities: { tools: {}, resources: { subscribe: isStateless } },
				serverInfo,
			},
			...(isStateless && { 'resources/subscribe': {} }),
			'tools/list': { tools: [] },
			'resources/list': { resources: [{ name: 'note', uri: 'note://1' }] },
			'resources/templates/list': { resourceTemplates: [] },
			...(isModern && {
				'server/discover': {
					supportedVersions,
					capabilities: { resources: { subscribe: true } },
					serverInfo,
				},
			}),
		}
		const result = results[method] && { ...(isModern && modern), ...results[method] }
		const answer = result ? { result } : { error: { code: -32601, message: 'Not here', data: method } }
		const session = isStateless ? {} : { 'mcp-session-id': 's' }
		response.writeHead(200, { 'content-type': 'application/json', ...session })
		response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
	})
	const say = (id: unknown, response: ServerResponse, name: string, params: object) => {
		const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
		const message = { jsonrpc: '2.0', method: `notifications/${name}`, params: { ...params, _meta } }
		response.write(`data: ${JSON.stringify(message)}\n\n`)
	}
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	return {
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
		touch: (uri: string) => {
			for (const { id, response } of streams) say(id, response, 'resources/updated', { uri })
		},
		close: () => {
			listener.closeAllConnections()
			listener.close()
		},
	}
}

describe('a server of both eras whose resources can be watched in the modern one only', () => {
	it.each([
		['watched', false],
		['stateless', true],
	])('is watched there for legacy clients, too: %s', async (name, isStateless) => {
		const server = await startWatchedInModernOnly(isStateless)
		await gateway.grant(agent.id, await gateway.addServer(name, server.url), null)
		for (const capabilities of [{}, { elicitation: {} }]) {
			const client = new Client1({ name: 'old', version: '1' }, { capabilities })
			const requestInit = { headers: { authorization: `Bearer ${agent.key}` } }
			await client.connect(new Transport1(new URL(`${gateway.url}/mcp/${name}`), { requestInit }) as never)
			expect(client.getServerCapabilities()?.resources).toMatchObject({ subscribe: true })
			const told = new Promise((resolve) => {
				client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri))
			})
			await client.subscribeResource({ uri: 'note://1' })
			server.touch('note://1')
			expect(await told).toBe('note://1')
			await client.close()
		}
		server.close()
	})
})
