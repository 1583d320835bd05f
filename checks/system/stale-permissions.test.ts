import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestPostgres } from '../../server/src/platform/database/testing.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

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
