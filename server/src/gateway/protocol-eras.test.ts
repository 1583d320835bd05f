import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
	type BrokerStage,
	startAuthorizationServer,
	startBrokerStage,
	type TestAuthorizationServer,
} from '../access/upstream-credentials/testing.ts'
import type { Era } from '../mcp-client/index.ts'
import { describeWithStore } from '../platform/database/testing.ts'
import type { TestAgent } from './testing.ts'
import { newWireClient, until } from './testing-client.ts'

/** A server behind OAuth that uses a different era for each token, like one that is rolled out tenant by tenant. */
interface SplitServer {
	url: string
	/** The era for tokens that it has not seen yet. */
	newcomers: Era
	eras: Map<string, Era>
	/** The first request of each token, `server/discover` or `initialize`, oldest first. */
	probes: string[]
	close(): void
}

async function startSplitServer(issuer: TestAuthorizationServer): Promise<SplitServer> {
	const listener = createServer(async (request, response) => {
		const send = (status: number, body: unknown, headers = {}) =>
			response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
		const metadata = `${split.url.replace('/mcp', '')}/.well-known/oauth-protected-resource/mcp`
		if (request.url === new URL(metadata).pathname)
			return send(200, {
				resource: split.url,
				authorization_servers: [issuer.issuer],
				scopes_supported: ['tools'],
			})
		const token = (request.headers.authorization ?? '').replace('Bearer ', '')
		const text = await read(request)
		if (!(await issuer.isGood(token)))
			return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="tools"` })
		const { id, method } = JSON.parse(text || '{}') as { id?: number; method?: string }
		if (id === undefined) return response.writeHead(202).end()
		const era = split.eras.get(token) ?? split.newcomers
		split.eras.set(token, era)
		if (method === 'server/discover') split.probes.push(token)
		const result = answers[era][method ?? '']
		if (!result) return send(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })
		send(200, { jsonrpc: '2.0', id, result })
	})
	const split: SplitServer = {
		...{ url: '', newcomers: 'legacy', eras: new Map(), probes: [] },
		close: () => {
			listener.closeAllConnections()
			listener.close()
		},
	}
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	split.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	return split
}

async function read(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks).toString()
}

const tools = [{ name: 'era', inputSchema: { type: 'object' } }]
const says = (text: string) => ({ content: [{ type: 'text', text }] })
const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const answers: Record<Era, Record<string, object>> = {
	legacy: {
		initialize: {
			...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
			serverInfo: { name: 'split', version: '1' },
		},
		'tools/list': { tools },
		'tools/call': says('legacy'),
	},
	modern: {
		'server/discover': { ...modern, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
		'tools/list': { ...modern, tools },
		'tools/call': { ...says('modern'), resultType: 'complete' },
	},
}

describeWithStore('a server that speaks another era to each token', (store) => {
	let stage: BrokerStage
	let issuer: TestAuthorizationServer
	let split: SplitServer
	let serverId: string
	let first: TestAgent
	let second: TestAgent
	let round = 0
	beforeAll(async () => {
		issuer = await startAuthorizationServer()
		stage = await startBrokerStage(store(), issuer)
		split = await startSplitServer(issuer)
	})
	afterAll(async () => {
		await stage?.close()
		split?.close()
		issuer?.close()
	})
	/** Checks of the server use the first agent's token only, for which it is a legacy server. */
	beforeEach(async () => {
		round += 1
		split.newcomers = 'legacy'
		serverId = await stage.addServer(`Split ${round}`, `${split.url}?n=${round}`)
		await stage.manage('PUT', `/v1/mcp/servers/${serverId}/oauth`, {
			...{ mode: 'authorization_code', owner: 'agent' },
		})
		first = await connected('First')
		await until(
			async () => (await stage.manage('GET', `/v1/mcp/servers/${serverId}/tools`)).tools.length === 1,
			10_000,
		)
		split.newcomers = 'modern'
		second = await connected('Second')
	})

	const connected = async (name: string) => {
		const agent = await stage.addAgent(`${name} ${round}`)
		await stage.grant(agent.id, serverId, null)
		await stage.connect(serverId, stage.owner, { agent_uuid: agent.id })
		return agent
	}
	const call = async ({ key }: TestAgent) => {
		const { body } = await newWireClient(`${stage.url}/mcp/split-${round}`, key).modern('tools/call', {
			name: 'era',
		})
		return body.result?.content[0].text ?? body.error.message
	}
	const probed = () =>
		store()
			.db.selectFrom('mcp_era_verdicts')
			.select(['id', 'protocol_version', 'probed_at'])
			.where('server_id', '=', serverId)
			.orderBy('protocol_version')
			.execute()

	it('is used in the era it has for each token; it is probed once, and not again after a restart', async () => {
		expect([await call(first), await call(second)]).toEqual(['legacy', 'modern'])
		await until(async () => (await probed()).length === 2, 10_000)
		expect((await probed()).map(({ protocol_version }) => protocol_version)).toEqual([
			'2025-06-18',
			'2026-07-28',
		])
		split.probes.length = 0
		await stage.restart()
		expect([await call(first), await call(second)]).toEqual(['legacy', 'modern'])
		expect(split.probes).toEqual([])
	})

	it.each([
		['a day', -25],
		['the clock was set back by a day', 25],
	])('is probed again after %s, while calls continue with the known era', async (_, hours) => {
		expect(await call(second)).toBe('modern')
		await until(async () => (await probed()).length === 1, 10_000)
		const old = Date.now() + hours * 60 * 60_000
		await store()
			.db.updateTable('mcp_era_verdicts')
			.set({ probed_at: old })
			.where('server_id', '=', serverId)
			.execute()
		await stage.restart()
		expect(await call(second)).toBe('modern')
		await until(async () => Math.abs(Date.now() - Number((await probed())[0]?.probed_at)) < 60_000, 10_000)
	})

	it('is probed again when its answer does not fit its era', async () => {
		expect([await call(first), await call(second)]).toEqual(['legacy', 'modern'])
		await until(async () => (await probed()).length === 2, 10_000)
		for (const token of split.eras.keys()) split.eras.set(token, 'modern')
		await until(async () => (await call(first)) === 'modern', 10_000)
	})
})
