import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type EngineSupervisor, superviseEngine } from './embedded/supervisor.ts'
import { durableSettings, migrateTelemetryStore } from './migrate.ts'
import { openTelemetryStore, StoreUnavailable } from './store.ts'

let engine: EngineSupervisor
let dataDir: string

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), 'signalbox-remote-'))
	engine = await superviseEngine({ dataDir, log: silentLog })
})
afterAll(async () => {
	await engine?.stop()
	await rm(dataDir, { recursive: true, force: true })
})

/** Exposes the engine on a TCP port, like a server that CLICKHOUSE_URL names. */
async function exposeOnTcp(): Promise<{ port: number; close(): void }> {
	const sockets = new Set<Socket>()
	const server = createServer((incoming) => {
		const outgoing = connect(engine.socketPath)
		for (const socket of [incoming, outgoing]) sockets.add(socket.on('error', () => undefined))
		incoming.pipe(outgoing).pipe(incoming)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const close = () => {
		server.close()
		for (const socket of sockets) socket.destroy()
	}
	return { port: (server.address() as AddressInfo).port, close }
}

it('CLICKHOUSE_URL: migrates, inserts and reads with the password from the URL, without a child process', async () => {
	const tcp = await exposeOnTcp()
	const store = await openTelemetryStore({
		dataDir,
		url: `http://default:${engine.key}@127.0.0.1:${tcp.port}`,
		log: silentLog,
	})
	try {
		const table = `CREATE TABLE IF NOT EXISTS far (a UInt64) ENGINE = MergeTree ORDER BY a ${durableSettings()}`
		await migrateTelemetryStore(store, [{ id: 1, statements: [table] }])
		const insert = { table: 'far', columns: ['a'], rows: Buffer.alloc(16), deduplicationToken: 'far:0-2' }
		await store.insertRowBinary(insert)
		await store.insertRowBinary(insert)
		expect(await store.query('SELECT count() AS n FROM far WHERE a = {a:UInt64}', { a: 0 })).toEqual([
			{ n: '2' },
		])
		expect(store.enginePid()).toBeUndefined()
		expect(store.state()).toBe('ready')
		tcp.close()
		await expect(store.query('SELECT 1')).rejects.toBeInstanceOf(StoreUnavailable)
		expect(await store.ready()).toBe(false)
	} finally {
		tcp.close()
		await store.close()
	}
})

it('CLICKHOUSE_URL with a wrong password is refused by the server', async () => {
	const tcp = await exposeOnTcp()
	const store = await openTelemetryStore({
		dataDir,
		url: `http://default:wrong@127.0.0.1:${tcp.port}`,
		log: silentLog,
	})
	try {
		await expect(store.query('SELECT 1')).rejects.toMatchObject({ type: 'AUTHENTICATION_FAILED' })
		expect(await store.ready()).toBe(false)
	} finally {
		tcp.close()
		await store.close()
	}
})
