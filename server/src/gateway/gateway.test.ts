import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openAccessGrants } from '../access-grants/index.ts'
import { openAgents } from '../agents/index.ts'
import { startTestApp, type TestApp } from '../identity/testing.ts'
import { systemClock } from '../platform/clock.ts'
import type { ControlStore } from '../platform/database/index.ts'
import { describeOnBothDatabases } from '../platform/database/testing.ts'
import { silentLog } from '../platform/log.ts'
import { createSafeFetch } from '../platform/safe-fetch.ts'
import { openServers } from '../servers/index.ts'
import { startEverythingServer, type TestMcpServer } from '../servers/testing.ts'
import { openRecorder, type SpanRow } from '../telemetry/index.ts'
import { openGateway } from './index.ts'
import { newWireClient, until } from './testing-client.ts'

interface Whole extends TestApp {
	rows: SpanRow[]
	/** A management call as the owner; its body. */
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	manage(method: string, path: string, body?: object): Promise<any>
}

/** The control plane and the gateway as `app.ts` puts them together, with the real log. */
async function startWhole(store: ControlStore): Promise<Whole> {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-gateway-'))
	const recorder = await openRecorder({
		directory,
		store: { insertRowBinary: async () => {} },
		log: silentLog,
		clock: systemClock,
	})
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const rows: SpanRow[] = []
	recorder.onRecorded((recorded) => rows.push(...recorded))
	const ends: (() => Promise<unknown>)[] = []
	const app = await startTestApp(store, {
		open: (core) => {
			const agents = openAgents(core)
			const servers = openServers({ ...core, safeFetch, accessOf: (...of) => grants.accessOf(...of) })
			const grants = openAccessGrants({ ...core, agents: agents.view, servers: servers.view })
			const gateway = openGateway({ ...core, agents, servers, grants, recorder, safeFetch })
			ends.push(gateway.close, agents.close, servers.close)
			return {
				operations: [...agents.operations, ...servers.operations, ...grants.operations],
				routes: gateway.routes,
			}
		},
	})
	const manage: Whole['manage'] = async (method, path, body) => {
		const answer = await app.request(method, path, { token: app.owner.token, ...(body && { body }) })
		if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
		return answer.body
	}
	const close = async () => {
		for (const end of ends) await end()
		await app.close()
		await recorder.close(0)
		await safeFetch.close()
		rmSync(directory, { recursive: true, force: true })
	}
	return { ...app, rows, manage, close }
}

describeOnBothDatabases('the gateway over the real control plane', (store) => {
	let whole: Whole
	let everything: TestMcpServer
	let agentId: string
	let keyId: string
	let serverId: string
	let key: string
	const wire = (path = '/mcp/everything') => newWireClient(whole.url + path, key)
	const names = async (client: { request: ReturnType<typeof newWireClient>['request'] }) =>
		(await client.request('tools/list')).body.result.tools.map((tool: { name: string }) => tool.name)

	beforeAll(async () => {
		everything = await startEverythingServer()
		whole = await startWhole(store())
		serverId = (await whole.manage('POST', '/v1/mcp/servers', { name: 'Everything', url: everything.url })).id
	})
	afterAll(async () => {
		await whole?.close()
		await everything?.close()
	})
	beforeEach(async () => {
		const agent = await whole.manage('POST', '/v1/agents', { name: `Rosa ${systemClock.nowMs()}` })
		agentId = agent.id ?? agent.uuid
		const made = await whole.manage('POST', `/v1/agents/${agentId}/keys`, { name: 'first' })
		key = made.secret ?? made.key ?? made.token
		keyId = made.id ?? made.key_id
		await whole.manage('POST', `/v1/mcp/servers/${serverId}/access`, {
			agent_uuid: agentId,
			access_mode: 'selected',
			allowed_tools: ['echo', 'trigger-long-running-operation'],
		})
		whole.rows.length = 0
	})

	it.each(['/mcp', '/mcp/everything', '/mcp-key', '/mcp-key/everything'])(
		'shows and calls exactly what is granted on %s',
		async (path) => {
			const client = new Client({ name: 'stock', version: '1' })
			await client.connect(
				new StreamableHTTPClientTransport(new URL(whole.url + path), {
					requestInit: { headers: { 'x-api-key': key } },
				}),
			)
			const prefix = path.endsWith('everything') ? '' : 'everything__'
			expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
				`${prefix}echo`,
				`${prefix}trigger-long-running-operation`,
			])
			expect(await client.callTool({ name: `${prefix}echo`, arguments: { message: 'hi' } })).toMatchObject({
				content: [{ text: 'Echo: hi' }],
			})
			await expect(client.callTool({ name: `${prefix}get-env`, arguments: {} })).rejects.toThrow(
				`${prefix}get-env`,
			)
			await client.close()
			const calls = whole.rows.filter((row) => row.kind === 'tool_call')
			expect(calls.map(({ status, toolName }) => `${toolName} ${status}`)).toEqual([
				'echo ok',
				'get-env denied',
			])
			expect(calls[0]).toMatchObject({ agentId, serverId, serverName: 'Everything', credentialId: keyId })
		},
	)

	const stops: Record<string, () => Promise<unknown>> = {
		'a paused agent': () => whole.manage('POST', `/v1/agents/${agentId}/pause`),
		'a grant that is switched off': () =>
			whole.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agentId}`, { enabled: false }),
		'a revoked key': () => whole.manage('DELETE', `/v1/keys/${keyId}`),
	}
	it.each(Object.keys(stops))('%s is refused at once, in the middle of a call too', async (name) => {
		const client = wire()
		await client.initialize()
		expect(await names(client)).toHaveLength(2)
		const other = wire()
		await other.initialize()
		const running = other.request('tools/call', {
			name: 'trigger-long-running-operation',
			arguments: { duration: 20, steps: 40 },
			_meta: { progressToken: 1 },
		})
		await new Promise((resolve) => setTimeout(resolve, 200))
		await stops[name]?.()
		const stoppedMs = performance.now()
		expect((await running).body).toMatchObject({ id: 1, error: { code: expect.any(Number) } })
		await until(async () => {
			const { status, body } = await client.request('tools/call', {
				name: 'echo',
				arguments: { message: 'x' },
			})
			return status === 401 || body.error !== undefined
		}, 1000)
		expect(performance.now() - stoppedMs).toBeLessThan(1000)
	})

	it('keeps a session over a change and hears it on its stream', async () => {
		const client = wire('/mcp')
		await client.initialize()
		const abort = new AbortController()
		const headers = { 'x-api-key': key, 'mcp-session-id': client.session, accept: 'text/event-stream' }
		const stream = await fetch(`${whole.url}/mcp`, { headers, signal: abort.signal })
		let heard = ''
		const reading = (async () => {
			for await (const chunk of stream.body as AsyncIterable<Uint8Array>)
				heard += Buffer.from(chunk).toString()
		})().catch(() => {})
		await whole.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agentId}`, { allowed_tools: ['echo'] })
		await until(() => heard.includes('tools/list_changed'), 1000)
		expect(await names(client)).toEqual(['everything__echo'])
		abort.abort()
		await reading
	})

	it('lets an agent with sessions be deleted', async () => {
		const client = wire()
		await client.initialize()
		await whole.manage('DELETE', `/v1/agents/${agentId}`)
		expect((await client.request('tools/list')).status).toBe(401)
	})
})
