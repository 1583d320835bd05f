import { randomBytes } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { openCrashStage } from './crash-stage.ts'
import { modernHeaders, modernMeta } from './echo-client.ts'
import { compare, countStored } from './stored.ts'
import { startWriters, type WriterTargets } from './writers.ts'

const patience = { timeout: 10_000, interval: 50 }
const memory = join(
	dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json')),
	'dist/index.js',
)
const dataDir = newDataDir()
let stage: Awaited<ReturnType<typeof openCrashStage>>
let program: Program
let targets: WriterTargets
/** A connection to the primary process and one to the worker. */
let connections: Agent[]

beforeAll(async () => {
	stage = await openCrashStage()
	const settings = {
		SIGNALBOX_WORKERS: '2',
		SIGNALBOX_PROGRAM_PATHS: resolve('node_modules'),
		SIGNALBOX_OVERLOAD_LAG_MS: '0',
	}
	program = await startProgram(dataDir, settings)
	targets = { url: () => program.url, ...(await stage.setUp(program)) }
	connections = [await connectTo(0), await connectTo(1)]
}, 120_000)
afterAll(async () => {
	for (const connection of connections ?? []) connection.destroy()
	await program?.kill('SIGKILL')
	await stage?.close()
	removeDataDir(dataDir)
})

interface Sent {
	method?: string
	path: string
	headers?: Record<string, string>
	body?: object
}

function open(agent: Agent, { method = 'POST', path, headers = {}, body }: Sent): Promise<IncomingMessage> {
	const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
	return new Promise((done, failed) =>
		request(program.url + path, { agent, method, headers: { ...usual, ...headers } }, done)
			.once('error', failed)
			.end(body && JSON.stringify(body)),
	)
}

async function send(agent: Agent, sent: Sent) {
	const response = await open(agent, sent)
	let text = ''
	for await (const chunk of response.setEncoding('utf8')) text += chunk
	return { status: response.statusCode ?? 0, headers: response.headers, text }
}

/** How many rows each process has acknowledged. */
async function rowsOf(): Promise<number[]> {
	const text = await (await fetch(`${program.url}/metrics`)).text()
	const figures = text.matchAll(/^signalbox_telemetry_acknowledged_rows\{process="(\d)"\} (\d+)$/gm)
	return [...figures].sort().map(([, , rows]) => Number(rows))
}

/** Opens connections until one reaches the given process, because the kernel chooses the process. */
async function connectTo(number: number): Promise<Agent> {
	for (;;) {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 })
		const before = await rowsOf()
		await sendSpan(agent)
		const after = await rowsOf()
		if ((after[number] ?? 0) > (before[number] ?? 0)) return agent
		agent.destroy()
	}
}

function spanBody(traceId: string) {
	const startTimeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
	const span = { traceId, spanId: traceId.slice(0, 16), name: 'worked', kind: 1 }
	const spans = [{ ...span, startTimeUnixNano, endTimeUnixNano: startTimeUnixNano }]
	return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

async function sendSpan(agent: Agent, body: object = spanBody(randomBytes(16).toString('hex'))) {
	const headers = { authorization: `Bearer ${targets.ingestToken}` }
	const { status, text } = await send(agent, { path: '/v1/traces', headers, body })
	expect(status, text).toBe(200)
}

/** A tool call in protocol version 2026-07-28. */
function call(agent: Agent, path: string, name: string, values: object, key = targets.agentKey) {
	const headers = { ...modernHeaders('tools/call', name), authorization: `Bearer ${key}` }
	const params = { name, arguments: values, _meta: modernMeta }
	return send(agent, { path, headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } })
}

const echo = (agent: Agent, key?: string) =>
	call(agent, `/mcp/${targets.serverSlug}`, 'echo', { message: 'hello' }, key)

async function onBoth<T>(ask: (agent: Agent) => Promise<T>): Promise<T[]> {
	const answers: T[] = []
	for (const connection of connections) answers.push(await ask(connection))
	return answers
}

it('both processes serve calls, and other requests get the same response from both', async () => {
	const rows = await rowsOf()
	for (const { status, text } of await onBoth((agent) => echo(agent))) {
		expect(status, text).toBe(200)
		expect(text).toContain('Echo: hello')
	}
	expect((await rowsOf()).map((each, number) => each - (rows[number] ?? 0))).toEqual([1, 1])
	const headers = { authorization: `Bearer ${program.token}`, 'x-request-id': 'abc' }
	const [own, forwarded] = await onBoth((agent) => send(agent, { method: 'GET', path: '/auth/me', headers }))
	expect(own?.status).toBe(200)
	expect(forwarded?.text).toBe(own?.text)
	expect(forwarded?.headers['x-request-id']).toBe('abc')
	for (const { status } of await onBoth((agent) => send(agent, { method: 'GET', path: '/v1//agents' })))
		expect(status).toBe(400)
	const ready = await onBoth((agent) => send(agent, { method: 'GET', path: '/readyz?verbose' }))
	for (const { text } of ready) expect(JSON.parse(text).checks.workers).toBe('ok')
})

it('a session opened at one process continues at the other', async () => {
	const [first, second] = connections as [Agent, Agent]
	const path = `/mcp/${targets.serverSlug}`
	const headers = { authorization: `Bearer ${targets.agentKey}` }
	const clientInfo = { name: 'workers', version: '1' }
	const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
	const opened = await send(first, {
		path,
		headers,
		body: { jsonrpc: '2.0', id: 0, method: 'initialize', params },
	})
	const session = { ...headers, 'mcp-session-id': String(opened.headers['mcp-session-id']) }
	const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
	const listed = await send(second, { path, headers: session, body })
	expect(listed.text).toContain('"echo"')
	expect((await send(second, { method: 'DELETE', path, headers: session })).status).toBeLessThan(300)
	await expect
		.poll(async () => (await send(first, { path, headers: session, body })).status, patience)
		.toBe(404)
})

it('a hosted program runs once and serves both processes', async () => {
	const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
	await program.api('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
	const env = { MEMORY_FILE_PATH: '/tmp/signalbox-workers-memory.jsonl' }
	const made = { name: 'Memory', command: 'node', args: [memory], env }
	const { id } = await program.api<{ id: string }>('POST', '/v1/mcp/servers', made, 201)
	const path = `/v1/mcp/servers/${id}/program`
	const { acceptance_sentence: sentence } = await program.api<{ acceptance_sentence: string }>('GET', path)
	await program.api('POST', `${path}/acceptance`, { sentence })
	await program.api('GET', `/v1/mcp/servers/${id}/health`)
	const agents = await program.api<{ agents: { uuid: string }[] }>('GET', '/agent/list')
	const grant = { agent_uuid: agents.agents[0]?.uuid, access_mode: 'all' }
	await program.api('POST', `/v1/mcp/servers/${id}/access`, grant, 201)
	const name = randomBytes(6).toString('hex')
	const entities = [{ name, entityType: 'thing', observations: ['seen'] }]
	const [, worker] = connections as [Agent, Agent]
	await expect
		.poll(async () => (await call(worker, '/mcp/memory', 'create_entities', { entities })).text, patience)
		.toContain(name)
	for (const { text } of await onBoth((agent) => call(agent, '/mcp/memory', 'read_graph', {})))
		expect(text).toContain(name)
	// A process that was replaced while it started may still be ending.
	await expect
		.poll(async () => (await program.api<{ processes: object[] }>('GET', path)).processes.length, patience)
		.toBe(1)
	// Errors of the hosted program are the same through both processes.
	const answers = await onBoth((agent) => call(agent, '/mcp/memory', 'open_nodes', { names: 7 }))
	expect(answers[1]?.text).toBe(answers[0]?.text)
})

it('a call limit counts the calls of both processes', async () => {
	const { id } = await program.api<{ id: string }>('POST', '/v1/agents', { name: 'Limited' }, 201)
	const { key } = await program.api<{ key: string }>('POST', `/v1/agents/${id}/keys`, { name: 'k' }, 201)
	const servers = await program.api<{ mcp_servers: { id: string; slug: string }[] }>('GET', '/v1/mcp/servers')
	const server = servers.mcp_servers.find(({ slug }) => slug === targets.serverSlug)
	const grant = { agent_uuid: id, access_mode: 'all' }
	await program.api('POST', `/v1/mcp/servers/${server?.id}/access`, grant, 201)
	const limits = { calls_per_minute: 4, concurrency: null }
	await program.api('PATCH', `/v1/agents/${id}`, { call_limits: limits })
	const texts: string[] = []
	for (let round = 0; round < 3; round += 1)
		for (const { text } of await onBoth((agent) => echo(agent, key))) texts.push(text)
	expect(texts.filter((text) => text.includes('Echo: hello'))).toHaveLength(4)
})

it('an export repeated at the other process is stored once, and the live view shows the records of both', async () => {
	const headers = { authorization: `Bearer ${program.token}` }
	const viewer = new Agent()
	const live = await open(viewer, { method: 'GET', path: '/v1/telemetry/live', headers })
	let shown = ''
	live.setEncoding('utf8').on('data', (chunk) => {
		shown += chunk
	})
	const rows = async () => (await rowsOf()).reduce((sum, each) => sum + each, 0)
	const before = await rows()
	const traces = Array.from({ length: 4 }, () => randomBytes(16).toString('hex'))
	for (const [at, trace] of traces.entries()) {
		const body = spanBody(trace)
		await sendSpan(connections[at % 2] as Agent, body)
		await sendSpan(connections[(at + 1) % 2] as Agent, body)
	}
	expect((await rows()) - before).toBe(traces.length)
	await expect.poll(() => traces.filter((trace) => !shown.includes(trace)), patience).toEqual([])
	await echo(connections[1] as Agent)
	await expect.poll(() => shown, patience).toContain('tools/call echo')
	live.destroy()
	viewer.destroy()
	await expect
		.poll(async () => {
			const stored = await countStored(program, 'otlp')
			return traces.map((trace) => stored.get(trace))
		}, patience)
		.toEqual([1, 1, 1, 1])
})

it('the worker can open a secret that is sealed with a new master key', async () => {
	await program.api('POST', '/v1/instance/master-key/rotate', undefined, 202)
	const path = '/v1/provider-keys'
	const known = await program.api<{ provider_keys: { name: string; base_url: string }[] }>('GET', path)
	const base_url = known.provider_keys.find(({ name }) => name === 'openai')?.base_url
	await program.api('POST', path, { name: 'sealed', provider: 'openai', key: 'sk-new', base_url }, 201)
	const headers = { authorization: `Bearer ${targets.agentKey}` }
	const body = { model: 'gpt-x', messages: [{ role: 'user', content: 'hi' }] }
	const ask = (agent: Agent) => send(agent, { path: '/proxy/sealed/v1/chat/completions', headers, body })
	await expect.poll(() => onBoth(async (agent) => (await ask(agent)).status), patience).toEqual([200, 200])
})

it('both processes refuse a revoked key', async () => {
	const agents = await program.api<{ agents: { uuid: string }[] }>(
		'GET',
		'/agent/list?sort=created_at&order=asc',
	)
	const path = `/v1/agents/${agents.agents[0]?.uuid}/keys`
	const made = await program.api<{ id: string; key: string }>('POST', path, { name: 'short' }, 201)
	for (const { status } of await onBoth((agent) => echo(agent, made.key))) expect(status).toBe(200)
	await program.api('DELETE', `/v1/keys/${made.id}`, undefined, 204)
	await expect
		.poll(() => onBoth(async (agent) => (await echo(agent, made.key)).status), {
			timeout: 1000,
			interval: 20,
		})
		.toEqual([401, 401])
})

it('a killed worker is restarted, and no record is lost or stored twice', async () => {
	const writers = startWriters(targets, stage.ledgers)
	const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
	const pids = () =>
		program.log.flatMap((line) => /"pid":(\d+),"msg":"a worker serves"/.exec(line)?.[1] ?? [])
	const kills = process.env.LONG_TESTS ? 5 : 1
	for (let kill = 1; kill <= kills; kill += 1) {
		await pause(700)
		process.kill(Number(pids().at(-1)), 'SIGKILL')
		await expect.poll(() => pids().length, { timeout: 60_000 }).toBe(kill + 1)
	}
	await pause(700)
	await writers.stop()
	const sources = { otlp: 'otlp', gateway: 'gateway', models: 'model_proxy' } as const
	for (const [name, source] of Object.entries(sources)) {
		const ledger = stage.ledgers[name as keyof typeof sources]
		const { lost, doubled } = await compare(program, source, ledger)
		expect([name, ledger.acknowledged.size > 0, lost, doubled]).toEqual([name, true, [], []])
	}
	const metrics = await (await fetch(`${program.url}/metrics`)).text()
	expect(metrics).toContain(`signalbox_worker_restarts{process="0"} ${kills}`)
}, 180_000)

it('another program cannot share the port, and the program stops cleanly', async () => {
	const other = newDataDir()
	const port = new URL(program.url).port
	const beside = startProgram(other, { SIGNALBOX_WORKERS: '2', SIGNALBOX_PORT: port })
	await expect(beside).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`)
	removeDataDir(other)
	expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null })
	expect(program.log.join('')).not.toMatch(/did not end in order|"level":"fatal"/)
}, 60_000)
