import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMockProvider } from '../../server/src/models/proxy/testing.ts'
import { openTestPostgres } from '../../server/src/platform/database/testing.ts'
import {
	fillNewDataDir,
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { modernHeaders, modernMeta } from './echo-client.ts'

const staleAfterMs = 5000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a program that has not reached its control store for more than 5 s', () => {
	const dataDir = newDataDir()
	let database: Awaited<ReturnType<typeof openTestPostgres>>
	let wire: Wire
	let program: Program
	let agentKey: string
	let ingestToken: string

	beforeAll(async () => {
		database = await openTestPostgres()
		wire = await startWire(new URL(database.url))
		await fillNewDataDir(dataDir)
		program = await startProgram(dataDir, {
			DATABASE_URL: wire.url,
			SIGNALBOX_MASTER_KEY: randomBytes(32).toString('hex'),
			// Overload protection answers 503 as well, so it is off.
			SIGNALBOX_OVERLOAD_LAG_MS: '0',
		})
		const agent = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'Stale' }, 201)
		const keys = `/v1/agents/${agent.uuid}/keys`
		agentKey = (await program.api<{ key: string }>('POST', keys, { name: 'k' }, 201)).key
		const made = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
		ingestToken = made.token
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		await wire?.cut()
		await database?.end()
		removeDataDir(dataDir)
	})

	const post = async (path: string, credential: string, body: unknown) => {
		const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' }
		const response = await fetch(program.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
		await response.arrayBuffer()
		return { status: response.status, retryAfter: response.headers.get('retry-after') }
	}
	const endpoints = {
		gateway: () => post('/mcp', agentKey, { jsonrpc: '2.0', id: 1, method: 'ping' }),
		'model proxy': () => post('/proxy/openai/v1/chat/completions', agentKey, { model: 'm', messages: [] }),
		OTLP: () => post('/v1/traces', ingestToken, { resourceSpans: [] }),
	}
	const ask = () => Promise.all(Object.values(endpoints).map((endpoint) => endpoint()))

	it('answers 503 with Retry-After at the gateway, the model proxy and OTLP, and serves again when the store is back', async () => {
		const statuses = async () => (await ask()).map(({ status }) => status)
		await expect.poll(statuses, { timeout: 10_000 }).not.toContain(503)
		await wire.cut()
		await pause(staleAfterMs + 1500)
		expect(await ask()).toEqual(Object.keys(endpoints).map(() => ({ status: 503, retryAfter: '1' })))
		await wire.mend()
		for (const deadline = performance.now() + 15_000; performance.now() < deadline; await pause(200))
			if ((await ask()).every(({ status }) => status !== 503)) return
		expect.fail('The program did not serve again within 15 s.')
	}, 60_000)

	it('survives connections that are cut in the middle of transactions', async () => {
		let isOver = false
		const write = async () => {
			while (!isOver) {
				const name = `Agent ${randomBytes(8).toString('hex')}`
				// While the store is away, the request is refused.
				await program.api('POST', '/v1/agents', { name }, 201).catch(() => pause(20))
			}
		}
		const writers = Promise.all(Array.from({ length: 8 }, write))
		for (let cut = 0; cut < 8; cut += 1) {
			await pause(300)
			await wire.cut()
			await pause(100)
			await wire.mend()
		}
		isOver = true
		await writers
		expect(program.log.filter((line) => line.includes('Unhandled'))).toEqual([])
		await expect
			.poll(async () => (await ask()).map(({ status }) => status), { timeout: 15_000 })
			.not.toContain(503)
		expect(await program.api('POST', '/v1/agents', { name: 'After all' }, 201)).toMatchObject({
			name: 'After all',
		})
	}, 60_000)
})

describe('a change of rights, with two processes', () => {
	const dataDir = newDataDir()
	let program: Program
	let stops: (() => Promise<unknown>)[] = []
	let urls: { server: string; provider: string }

	beforeAll(async () => {
		const [server, provider] = await Promise.all([startEverythingServer(), startMockProvider()])
		urls = { server: server.url, provider: provider.url }
		stops = [() => server.close(), () => provider.close()]
		provider.intercept = ({ body }, response) => {
			if (!body.includes('"hangs"')) return false
			response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
			return true
		}
		const settings = { SIGNALBOX_WORKERS: '2', SIGNALBOX_OVERLOAD_LAG_MS: '0' }
		program = await startProgram(dataDir, settings)
	}, 120_000)
	afterAll(async () => {
		await program?.kill('SIGTERM')
		await Promise.all(stops.map((stop) => stop()))
		removeDataDir(dataDir)
	})

	interface Subject {
		name: string
		agent: string
		key: string
		keyId: string
		server: string
		connection: string
	}
	const make = <T extends object>(path: string, body: object) => program.api<T>('POST', path, body, 201)

	/** An agent with a key, and a server and a connection of its own that it may use. */
	async function newSubject(): Promise<Subject> {
		const name = `s${randomBytes(4).toString('hex')}`
		const { id: server } = await make<{ id: string }>('/v1/mcp/servers', { name, url: urls.server })
		const { uuid: agent } = await make<{ uuid: string }>('/v1/agents', { name })
		const grant = { agent_uuid: agent, access_mode: 'selected', allowed_tools: ['echo', slowTool] }
		await make(`/v1/mcp/servers/${server}/access`, grant)
		const provider = { name, provider: 'openai', key: 'sk-x', base_url: `${urls.provider}/v1` }
		const { id: connection } = await make<{ id: string }>('/v1/provider-keys', provider)
		const { key, id: keyId } = await make<{ key: string; id: string }>(`/v1/agents/${agent}/keys`, { name })
		return { name, agent, key, keyId, server, connection }
	}

	const send = async (path: string, key: string, body: object, headers: Record<string, string> = {}) => {
		const response = await fetch(program.url + path, {
			method: 'POST',
			// Each request has a connection of its own, and the kernel chooses its process.
			headers: { ...usualHeaders, connection: 'close', authorization: `Bearer ${key}`, ...headers },
			body: JSON.stringify(body),
		})
		return { status: response.status, text: await response.text().catch(() => 'cut') }
	}
	const mcp = async (
		{ name: slug, key }: Subject,
		method: string,
		params: { name?: string },
		search = '',
	) => {
		const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }
		return (await send(`/mcp/${slug}${search}`, key, body, modernHeaders(method, params.name))).text
	}
	const model = ({ name, key }: Subject, more: object, search = '') =>
		send(`/proxy/${name}/v1/chat/completions${search}`, key, { model: 'm', messages: [], ...more })
	const echo = { name: 'echo', arguments: { message: 'hello' } }

	/** Whether a request on this path is served. A query string keeps a call from being a plain one. */
	const paths: Record<'tools' | 'models', Record<string, (subject: Subject) => Promise<boolean>>> = {
		tools: {
			'plain tool call': async (subject) => (await mcp(subject, 'tools/call', echo)).includes('Echo: hello'),
			'general tool call': async (subject) =>
				(await mcp(subject, 'tools/call', echo, '?x=1')).includes('Echo: hello'),
			'list of tools': async (subject) => (await mcp(subject, 'tools/list', {})).includes('"echo"'),
		},
		models: {
			'plain model call': async (subject) => (await model(subject, {})).status === 200,
			'general model call': async (subject) => (await model(subject, {}, '?x=1')).status === 200,
			'streamed model call': async (subject) => (await model(subject, { stream: true })).status === 200,
		},
	}
	const wait = { name: slowTool, arguments: { duration: 20, steps: 2 } }
	const running: Record<keyof typeof paths, Record<string, (subject: Subject) => Promise<unknown>>> = {
		tools: {
			'running plain call': (subject) => mcp(subject, 'tools/call', wait),
			'running general call': (subject) => mcp(subject, 'tools/call', wait, '?x=1'),
		},
		models: { 'running stream': (subject) => model(subject, { model: 'hangs', stream: true }) },
	}

	const grant = ({ server, agent }: Subject) => `/v1/mcp/servers/${server}/access/${agent}`
	const changeKey = ({ keyId }: Subject, change: object) => program.api('PATCH', `/v1/keys/${keyId}`, change)
	const both = ['tools', 'models'] as const
	const changes: Record<string, [readonly (keyof typeof paths)[], (subject: Subject) => Promise<unknown>]> = {
		'agent paused': [both, ({ agent }) => program.api('POST', `/v1/agents/${agent}/pause`)],
		'agent deleted': [both, ({ agent }) => program.api('DELETE', `/v1/agents/${agent}`, undefined, 204)],
		'key revoked': [both, ({ keyId }) => program.api('DELETE', `/v1/keys/${keyId}`, undefined, 204)],
		'key expired': [
			both,
			(subject) => changeKey(subject, { expires_at: new Date(Date.now() + 300).toISOString() }),
		],
		'key allowed elsewhere': [both, (subject) => changeKey(subject, { allowed_addresses: ['10.0.0.0/8'] })],
		'key without mcp:invoke': [['tools'], (subject) => changeKey(subject, { scopes: ['proxy:invoke'] })],
		'key without proxy:invoke': [['models'], (subject) => changeKey(subject, { scopes: ['mcp:invoke'] })],
		'grant switched off': [['tools'], (subject) => program.api('PATCH', grant(subject), { enabled: false })],
		'grant without the tools': [
			['tools'],
			(subject) => program.api('PATCH', grant(subject), { allowed_tools: [] }),
		],
		'grant deleted': [['tools'], (subject) => program.api('DELETE', grant(subject), undefined, 204)],
		'server switched off': [
			['tools'],
			({ server }) => program.api('PATCH', `/v1/mcp/servers/${server}`, { status: 'inactive' }),
		],
		'other models only': [
			['models'],
			({ agent }) =>
				program.api('PATCH', `/v1/agents/${agent}`, {
					model_access: { mode: 'selected', connections: [{ name: 'other', models: ['*'] }] },
				}),
		],
	}

	it.each(Object.keys(changes))('%s: ends what runs, and is obeyed on every path', async (change) => {
		const [areas, apply] = changes[change] as (typeof changes)[string]
		const subject = await newSubject()
		const asked = Object.fromEntries(areas.flatMap((area) => Object.entries(paths[area])))
		const served = async () => {
			const found = await Promise.all(
				Object.entries(asked).flatMap(([path, ask]) =>
					[1, 2, 3].map(async () => ((await ask(subject)) ? [path] : [])),
				),
			)
			return [...new Set(found.flat())].sort()
		}
		await expect.poll(served, patience).toEqual(Object.keys(asked).sort())
		const ends = areas
			.flatMap((area) => Object.entries(running[area]))
			.map(async ([path, run]) => {
				await run(subject)
				return path
			})
		await pause(500)
		await apply(subject)
		const changedMs = performance.now()
		await expect.poll(served, patience).toEqual([])
		// Nothing is served again by a process that has not heard of the change.
		expect(await served()).toEqual([])
		await Promise.all(ends)
		expect(performance.now() - changedMs).toBeLessThan(10_000)
	})
})

const slowTool = 'trigger-long-running-operation'
const usualHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const patience = { timeout: 10_000, interval: 100 }

interface Wire {
	url: string
	cut(): Promise<void>
	mend(): Promise<void>
}

/** Starts a TCP proxy to the database that the test can cut. */
async function startWire(database: URL): Promise<Wire> {
	const sockets = new Set<Socket>()
	const server = createServer((near) => {
		const far = connect(addressOf(database))
		for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
			sockets.add(socket)
			socket.pipe(other)
			socket.on('error', () => other.destroy())
			socket.on('close', () => sockets.delete(socket) && other.destroy())
		}
	})
	const listenOn = async (port: number) => {
		await once(server.listen(port, '127.0.0.1'), 'listening')
		return (server.address() as { port: number }).port
	}
	const port = await listenOn(0)
	const url = new URL(database)
	url.searchParams.delete('host')
	url.hostname = '127.0.0.1'
	url.port = String(port)
	return {
		url: url.href,
		cut: async () => {
			server.close()
			for (const socket of sockets) socket.destroy()
		},
		mend: async () => void (await listenOn(port)),
	}
}

function addressOf(database: URL): NetConnectOpts {
	const directory = database.searchParams.get('host')
	if (directory?.startsWith('/')) return { path: `${directory}/.s.PGSQL.${database.port || 5432}` }
	return { host: database.hostname, port: Number(database.port || 5432) }
}
