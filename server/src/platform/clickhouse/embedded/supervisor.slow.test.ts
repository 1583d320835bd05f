import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { durableSettings } from '../migrate.ts'
import { openTelemetryStore, StoreUnavailable, type TelemetryStore } from '../store.ts'
import { basicAuthorization, startChild } from './child-process.ts'
import {
	DirectoryInUse,
	type DirectoryOwner,
	identifyProcess,
	isSameProcess,
	type ProcessIdentity,
} from './directory-lock.ts'
import {
	type EngineSupervisor,
	EngineUnsupported,
	requireSupportedPlatform,
	superviseEngine,
} from './supervisor.ts'

let dataDir: string
const undo: (() => Promise<unknown> | unknown)[] = []

beforeEach(async () => {
	dataDir = await mkdtemp(join(tmpdir(), 'signalbox-supervisor-'))
})
afterEach(async () => {
	for (const step of undo.splice(0).reverse()) await step()
	await rm(dataDir, { recursive: true, force: true })
})

async function openStore(): Promise<TelemetryStore> {
	const store = await openTelemetryStore({ dataDir, log: silentLog })
	undo.push(() => store.close())
	return store
}

async function supervise(silenceMs?: number): Promise<EngineSupervisor> {
	const engine = await superviseEngine({ dataDir, log: silentLog, ...(silenceMs && { silenceMs }) })
	undo.push(() => engine.stop())
	return engine
}

async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
	const endMs = performance.now() + timeoutMs
	while (!(await condition())) {
		if (performance.now() > endMs) throw new Error('waited in vain')
		await sleep(20)
	}
}

function enginePid(store: Pick<TelemetryStore, 'enginePid'>): number {
	const pid = store.enginePid()
	if (!pid) throw new Error('no engine runs')
	return pid
}

/** Another program that opens the same directory and prints its engine's pid, or the reason for its failure. */
function startProgram(): { program: ChildProcess; firstLine: Promise<string> } {
	const code = `
		import { openTelemetryStore } from ${JSON.stringify(new URL('../store.ts', import.meta.url).href)}
		import { silentLog } from ${JSON.stringify(new URL('../../log.ts', import.meta.url).href)}
		try {
			const store = await openTelemetryStore({ dataDir: process.argv[1], log: silentLog })
			process.stdout.write(store.enginePid() + '\\n')
			setInterval(() => {}, 1000)
		} catch (error) { process.stdout.write(error.name + ': ' + error.message + '\\n') }`
	const program = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code, dataDir], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	undo.push(() => program.kill('SIGKILL'))
	const lines = createInterface({ input: program.stdout as NonNullable<typeof program.stdout> })
	return { program, firstLine: once(lines, 'line').then(([line]) => String(line)) }
}

describe('an engine that is killed', () => {
	it('comes back with its data, and calls fail with StoreUnavailable until then', async () => {
		const store = await openStore()
		await store.command(`CREATE TABLE kept (a UInt64) ENGINE = MergeTree ORDER BY a ${durableSettings()}`)
		const insert = { table: 'kept', columns: ['a'], rows: Buffer.alloc(80), deduplicationToken: 'one:0-10' }
		await store.insertRowBinary(insert)
		const pid = enginePid(store)
		const running = store.query('SELECT sleep(3)').catch((error: unknown) => error)
		await sleep(100)
		process.kill(pid, 'SIGKILL')
		expect(await running).toBeInstanceOf(StoreUnavailable)
		await until(() => store.state() === 'down')
		await expect(store.query('SELECT 1')).rejects.toBeInstanceOf(StoreUnavailable)
		await expect(store.insertRowBinary(insert)).rejects.toBeInstanceOf(StoreUnavailable)
		expect(await store.ready()).toBe(false)
		await until(() => store.ready())
		// The engine answers a moment before its supervisor learns that it is ready.
		await until(() => store.state() === 'ready')
		expect(enginePid(store)).not.toBe(pid)
		await store.insertRowBinary(insert)
		expect(await store.query('SELECT count() AS n FROM kept')).toEqual([{ n: '10' }])
	})

	it('is killed by the watchdog when it hangs, and comes back', async () => {
		const engine = await supervise(1_500)
		const pid = engine.pid() as number
		process.kill(pid, 'SIGSTOP')
		await until(() => engine.state() === 'ready' && engine.pid() !== pid)
	})

	it('is not killed while all its readers are busy', async () => {
		const engine = await supervise(1_500)
		const pid = engine.pid()
		const slow = Array.from({ length: 6 }, () => ask(engine, engine.key, 'SELECT sleep(2.5)'))
		expect((await Promise.all(slow)).map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200])
		expect(engine.pid()).toBe(pid)
	})
})

describe('a parent that has died', () => {
	it('takes its engine with it, and the next start has the directory', async () => {
		const { program, firstLine } = startProgram()
		const child = identifyProcess(Number(await firstLine))
		expect(isSameProcess(child)).toBe(true)
		program.kill('SIGKILL')
		await until(() => !isSameProcess(child))
		expect(await (await openStore()).query('SELECT 1 AS one')).toEqual([{ one: 1 }])
	})

	it('whose engine cannot end: the next start ends it', async () => {
		const { program, firstLine } = startProgram()
		const pid = Number(await firstLine)
		const child: ProcessIdentity = identifyProcess(pid)
		process.kill(pid, 'SIGSTOP')
		program.kill('SIGKILL')
		await once(program, 'exit')
		expect(await (await openStore()).query('SELECT 1 AS one')).toEqual([{ one: 1 }])
		expect(isSameProcess(child)).toBe(false)
	})
})

it('a start waits for an unrecorded engine that is about to end', async () => {
	const forgotten = startChild({
		directory: join(dataDir, 'chdb'),
		socketPath: join(dataDir, 'forgotten.sock'),
		key: 'x',
		readers: 1,
		maxExecutionTimeS: 5,
		maxMemoryBytes: 1e9,
		maxResultBytes: 1e9,
		startTimeoutMs: 20_000,
		log: silentLog,
	})
	undo.push(() => forgotten.kill())
	await forgotten.ready
	const opened = openStore()
	await sleep(800)
	await forgotten.stop()
	expect(await (await opened).query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

describe('a second program on the same directory', () => {
	it('is refused with the pid, the directory and a remedy', async () => {
		const store = await openStore()
		const refused = `The telemetry directory ${dataDir} is in use by process ${process.pid}. Stop that process, or set another data directory for this one.`
		expect(await startProgram().firstLine).toBe(`DirectoryInUse: ${refused}`)
		await expect(openTelemetryStore({ dataDir, log: silentLog })).rejects.toThrow(new DirectoryInUse(refused))
		expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
	})

	it('may have it after the first has closed', async () => {
		const first = await openTelemetryStore({ dataDir, log: silentLog })
		const child = identifyProcess(enginePid(first))
		await first.close()
		expect(isSameProcess(child)).toBe(false)
		expect(await (await openStore()).ready()).toBe(true)
	})
})

describe('the socket', () => {
	it('is for its owner only and answers nobody without the key', async () => {
		const engine = await supervise()
		expect(statSync(engine.socketPath).mode & 0o777).toBe(0o600)
		expect(statSync(join(dataDir, 'chdb')).mode & 0o077).toBe(0)
		for (const key of ['', 'x'.repeat(64), engine.key.slice(0, -1), `${engine.key}0`]) {
			const answer = await ask(engine, key, 'SELECT 1')
			expect(answer).toMatchObject({ status: 403, code: '516' })
		}
		expect(await ask(engine, engine.key, 'SELECT 1')).toMatchObject({ status: 200, body: '1\n' })
	})

	it('is elsewhere when the directory has a long name', async () => {
		const long = join(dataDir, 'd'.repeat(120))
		await mkdir(long)
		const store = await openTelemetryStore({ dataDir: long, log: silentLog })
		undo.push(() => store.close())
		expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
	})

	it('has no trace of the key in files, arguments or environment', async () => {
		const engine = await supervise()
		const owner = JSON.parse(readFileSync(join(dataDir, 'engine.json'), 'utf8')) as DirectoryOwner
		expect(owner.child?.pid).toBe(engine.pid())
		const traces = [
			`/proc/${engine.pid()}/environ`,
			`/proc/${engine.pid()}/cmdline`,
			join(dataDir, 'engine.json'),
		]
		for (const path of traces) expect(readFileSync(path, 'utf8')).not.toContain(engine.key)
	})
})

it('stopping during a query takes no longer than the grace', async () => {
	const store = await openTelemetryStore({ dataDir, log: silentLog })
	const child = identifyProcess(enginePid(store))
	const running = store
		.query('SELECT sleepEachRow(1) FROM numbers(20) SETTINGS max_block_size = 1')
		.catch((error: unknown) => error)
	await sleep(200)
	const startMs = performance.now()
	await store.close()
	expect(performance.now() - startMs).toBeLessThan(6_000)
	expect(await running).toBeInstanceOf(StoreUnavailable)
	expect(isSameProcess(child)).toBe(false)
})

it('a machine without the library is asked to set CLICKHOUSE_URL', () => {
	const locate = () => {
		throw new Error('not found')
	}
	expect(() => requireSupportedPlatform(locate)).toThrow(EngineUnsupported)
	expect(() => requireSupportedPlatform(locate)).toThrow(/Set CLICKHOUSE_URL/)
	requireSupportedPlatform()
})

function ask(
	engine: EngineSupervisor,
	key: string,
	sql: string,
): Promise<{ status: number; code: string; body: string }> {
	return new Promise((resolve, reject) => {
		const headers = { authorization: basicAuthorization(key) }
		const call = request(
			{ socketPath: engine.socketPath, method: 'POST', path: '/', headers },
			async (response) => {
				const chunks = await response.toArray()
				const code = String(response.headers['x-clickhouse-exception-code'] ?? '')
				resolve({ status: response.statusCode ?? 0, code, body: Buffer.concat(chunks).toString() })
			},
		)
		call.on('error', reject)
		call.end(sql)
	})
}
