import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '../operate/client/client.ts'
import { ClockWatch } from '../platform/clock-watch.ts'
import { createAnswerCheck } from '../platform/http/check-answer.testing.ts'
import { silentLog } from '../platform/log.ts'
import { fillFromTemplate, templates } from '../platform/templates.testing.ts'

const bin = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url))
const sources = fileURLToPath(new URL('../operate/cli/main.ts', import.meta.url))

export const owner = { email: 'owner@example.org', password: 'a long enough passphrase' }

export interface Program {
	url: string
	pid: number
	dataDir: string
	/** All lines of its structured log so far. */
	log: string[]
	/** Calls the platform API as the signed-in owner; throws on any status other than `expected`. */
	api<T>(method: string, path: string, body?: unknown, expected?: number): Promise<T>
	/** The same, typed; throws an `ApiProblem` for every response that is not a success. */
	client: Client
	/** The owner's access token. */
	token: string
	/** Pids of its child processes (the telemetry engine). */
	children(): number[]
	kill(signal: NodeJS.Signals): Promise<ExitStatus>
}

/** Exit code and signal, as in the `exit` event. */
export interface ExitStatus {
	code: number | null
	signal: NodeJS.Signals | null
}

export function newDataDir(): string {
	return mkdtempSync(join(tmpdir(), 'signalbox-system-'))
}

export function removeDataDir(path: string): void {
	rmSync(path, { recursive: true, force: true })
}

/**
 * Starts the real program on a data directory and signs in as its owner. `prefix` is a command that starts it (`taskset`); with
 * `fromSources` it runs from source files instead of the build.
 */
export async function startProgram(
	dataDir: string,
	environment: Record<string, string> = {},
	options: { prefix?: readonly string[]; nodeFlags?: readonly string[]; fromSources?: boolean } = {},
): Promise<Program> {
	await fillNewDataDir(dataDir, environment, { withOwner: true })
	const child = spawn(
		options.prefix?.[0] ?? process.execPath,
		[
			...(options.prefix ? [...options.prefix.slice(1), process.execPath] : []),
			...(options.nodeFlags ?? []),
			options.fromSources ? sources : bin,
			'start',
		],
		{
			stdio: ['ignore', 'pipe', 'pipe'],
			env: {
				PATH: process.env.PATH,
				HOME: process.env.HOME,
				...settingsFor(dataDir),
				...environment,
			} as NodeJS.ProcessEnv,
		},
	)
	const log: string[] = []
	child.stderr?.on('data', (chunk: Buffer) => log.push(chunk.toString()))
	const url = await untilReady(child, log)
	const { token } = await call<{ token: string }>(url, 'POST', '/auth/login', owner, 200, '')
	return {
		url,
		pid: child.pid as number,
		dataDir,
		log,
		token,
		client: checkedClient(url, token),
		api: (method, path, body, expected = 200) => call(url, method, path, body, expected, token),
		children: () => childrenOf(child.pid as number),
		kill: (signal) => endWith(child, signal),
	}
}

/** What the account of the first owner depends on. */
const settingsOfOwner = /^SIGNALBOX_(INIT_\w+|HOST|PUBLIC_URL|MASTER_KEY)$/

/**
 * In a test run, an empty data directory gets stores with empty tables: creating these takes the engine six times as long as
 * opening them. `checks/system/fresh-program.ts` starts without them. `withOwner` adds the owner, as the first start would create it
 * unless settings say otherwise, and the master key. Hashing the password and checking it at the sign-in took a tenth of the processor
 * time of a start.
 */
export async function fillNewDataDir(
	dataDir: string,
	environment: Record<string, string> = {},
	{ withOwner = false } = {},
): Promise<void> {
	const names = Object.keys(environment)
	const isElsewhere = names.some((name) =>
		/^SIGNALBOX_(DATABASE_URL|CLICKHOUSE_URL|RETENTION_DAYS|DATA_DIR)$/.test(name),
	)
	if (!templates || isElsewhere || !isEmpty(dataDir)) return
	if (withOwner && !names.some((name) => settingsOfOwner.test(name))) {
		await fillFromTemplate('data-directory-of-owner', dataDir, makeStoresWithOwner)
		// Otherwise the program would compare the clock with the owner's audit record, which is as old as the test run, and doubt it.
		new ClockWatch({ file: join(dataDir, 'clock.json'), newestRowMs: null, onChange: () => {} }).save()
	} else await fillFromTemplate('data-directory', dataDir, makeStores)
}

function isEmpty(directory: string): boolean {
	return existsSync(directory) && readdirSync(directory).length === 0
}

async function makeStores(directory: string): Promise<void> {
	const { migrateControlStore } = await import('../platform/database/migrate.ts')
	const { openSqlite } = await import('../platform/database/sqlite/driver.ts')
	const { migrateTelemetryStore } = await import('../platform/clickhouse/migrate.ts')
	const { openTelemetryStore } = await import('../platform/clickhouse/store.ts')
	const { telemetryMigrations } = await import('../telemetry/migrations.ts')
	const control = openSqlite(join(directory, 'control.db'))
	await migrateControlStore(control)
	await control.close()
	const telemetry = await openTelemetryStore({ dataDir: directory, log: silentLog })
	await migrateTelemetryStore(telemetry, telemetryMigrations)
	await telemetry.close()
	for (const name of ['engine.lock', 'engine.json']) rmSync(join(directory, name), { force: true })
}

async function makeStoresWithOwner(directory: string): Promise<void> {
	const { startTestApp } = await import('../accounts/identity/testing.ts')
	const { loadOrCreateMasterKey } = await import('../platform/crypto/master-key-file.ts')
	const { openSqlite } = await import('../platform/database/sqlite/driver.ts')
	await fillFromTemplate('data-directory', directory, makeStores)
	loadOrCreateMasterKey(directory)
	const control = openSqlite(join(directory, 'control.db'))
	const config = { INIT_ADMIN_EMAIL: owner.email, INIT_ADMIN_PASSWORD: owner.password }
	// Without an account of its own, this is a headless first start, but with a hash of little memory.
	const app = await startTestApp(control, { dataDir: directory, withoutOwner: true, config })
	await app.close()
	await control.close()
}

function settingsFor(dataDir: string): Record<string, string> {
	return {
		SIGNALBOX_PORT: '0',
		SIGNALBOX_OTLP_HTTP_PORT: '0',
		SIGNALBOX_OTLP_GRPC_PORT: '0',
		SIGNALBOX_DATA_DIR: dataDir,
		SIGNALBOX_INIT_ADMIN_EMAIL: owner.email,
		SIGNALBOX_INIT_ADMIN_PASSWORD: owner.password,
		SIGNALBOX_LOG_LEVEL: 'info',
		// Tests and benchmarks are a single caller that sends requests as fast as it can.
		SIGNALBOX_RATE_LIMITS: 'api=off,anonymous=off',
	}
}

function untilReady(child: ChildProcess, log: string[]): Promise<string> {
	return new Promise((resolve, reject) => {
		if (!child.stdout) return reject(new Error('no output'))
		createInterface({ input: child.stdout }).on('line', (line) => {
			log.push(line)
			const event = line.startsWith('{') ? (JSON.parse(line) as { msg: string; port?: number }) : { msg: '' }
			// The public URL may be one that only a proxy in front serves.
			if (event.msg === 'ready') resolve(`http://127.0.0.1:${event.port}`)
		})
		child.once('exit', (code) =>
			reject(new Error(`The program ended with code ${code} before it was ready:\n${log.join('\n')}`)),
		)
	})
}

/** Checks every response of the platform API against its OpenAPI document. */
const checkAnswer = createAnswerCheck()

export async function call<T>(
	url: string,
	method: string,
	path: string,
	body: unknown,
	expected: number,
	token: string,
): Promise<T> {
	const response = await fetch(url + path, {
		method,
		headers: {
			...(token && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	})
	const text = await response.text()
	const contentType = response.headers.get('content-type')
	checkAnswer({ method, path, status: response.status, contentType, text })
	if (response.status !== expected) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
	return (text === '' ? undefined : JSON.parse(text)) as T
}

/** A client of the running program; every response is checked against the OpenAPI document. */
function checkedClient(baseUrl: string, key: string): Client {
	const client = createClient({ baseUrl, key })
	client.use({
		onResponse: async ({ request, response }) => {
			const text = await response.clone().text()
			const contentType = response.headers.get('content-type')
			const path = request.url.slice(baseUrl.length)
			checkAnswer({ method: request.method, path, status: response.status, contentType, text })
		},
	})
	return client
}

export function childrenOf(pid: number): number[] {
	const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
	return text.split(' ').filter(Boolean).map(Number)
}

async function endWith(child: ChildProcess, signal: NodeJS.Signals): Promise<ExitStatus> {
	const { exitCode, signalCode } = child
	if (exitCode !== null || signalCode !== null) return { code: exitCode, signal: signalCode }
	const ended = new Promise<ExitStatus>((resolve) =>
		child.once('exit', (code, by) => resolve({ code, signal: by })),
	)
	child.kill(signal)
	return ended
}
