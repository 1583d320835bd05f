import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMockProvider } from '../../server/src/models/proxy/testing.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { encodeRequest } from '../../server/src/telemetry/otlp/encode-request.ts'
import { readSource } from './source-files.ts'

/** The code that one warm request runs on the main thread: the numbers of files and functions of `server/src`, and of calls. */
export interface Hops {
	files: number
	functions: number
	calls: number
}

/** `span` is sent as protobuf, the default of OpenTelemetry's exporters. */
export const requestKinds = ['management', 'tool_call', 'model_call', 'span', 'span_json'] as const

export type RequestKind = (typeof requestKinds)[number]

export type HouseHops = Record<RequestKind, Hops>

const warmUps = 30
const tries = 5
const requestsInTry = 24
const afterMs = 250

/** How often each function was called, by file, position and name. */
type Calls = Record<string, number>

export async function countHops(): Promise<HouseHops> {
	const calls = await callsOfRequests(requestKinds)
	return Object.fromEntries(requestKinds.map((kind) => [kind, hopsOf(calls[kind])])) as HouseHops
}

/** Counts the functions that one request of each kind runs, using V8's precise coverage, in a real program with real upstreams. */
export async function callsOfRequests(kinds: readonly RequestKind[]): Promise<Record<RequestKind, Calls>> {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-hops-'))
	const file = join(directory, 'hops.json')
	const [server, provider] = await Promise.all([startEverythingServer(), startMockProvider()])
	const dataDir = newDataDir()
	const preload = new URL('count-hops.mjs', import.meta.url).href
	// Counting slows the event loop down, and more so on a busy machine, so load shedding is disabled.
	const settings = { HOPS_FILE: file, SIGNALBOX_OVERLOAD_LAG_MS: '0', ...compileCache() }
	const program = await startProgram(dataDir, settings, {
		nodeFlags: ['--import', preload],
		fromSources: true,
	})
	try {
		const requests = await prepare(program, server.url, provider.url)
		const counted = {} as Record<RequestKind, Calls>
		for (const send of Object.values(requests)) for (let left = warmUps; left > 0; left--) await send()
		for (const kind of kinds) counted[kind] = await countOne(program, file, requests[kind])
		return counted
	} finally {
		agents.destroy()
		applications.destroy()
		await program.kill('SIGTERM')
		await Promise.all([server.close(), provider.close()])
		removeDataDir(dataDir)
		rmSync(directory, { recursive: true, force: true })
	}
}

/** The compiled code of the sources, which the tests of the same run have loaded before. */
function compileCache(): Record<string, string> {
	const { NODE_COMPILE_CACHE } = process.env
	return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}

/**
 * Counts the functions that the requests run in all of several windows. Background work and the waking of threads do not occur in every
 * window, and are therefore left out.
 */
async function countOne(program: Program, file: string, request: () => Promise<void>): Promise<Calls> {
	for (let left = warmUps; left > 0; left--) await request()
	const windows: Calls[] = []
	let maxMs = 0
	const inTurn = async () => {
		const beganAt = performance.now()
		for (let left = requestsInTry; left > 0; left--) await request()
		maxMs = Math.max(maxMs, performance.now() - beganAt)
	}
	while (windows.length < tries) windows.push(await countWindow(program, file, inTurn))
	// On a busy machine a request takes longer than the program's interval between two checks of its load.
	const idle = await countWindow(program, file, () => sleep(maxMs))
	return ofEachRequest(windows, requestsInTry, idle)
}

/**
 * For each function, the number of calls per request in the window with the fewest; a window has several requests. The calls of an
 * idle window are subtracted.
 */
export function ofEachRequest(
	[first = {}, ...others]: readonly Calls[],
	requests: number,
	idle: Calls = {},
): Calls {
	const least = ([place, calls]: [string, number]) => {
		const fewest = Math.min(calls, ...others.map((window) => window[place] ?? 0)) - (idle[place] ?? 0)
		return [place, Math.max(0, Math.floor(fewest / requests))] as const
	}
	return Object.fromEntries(Object.entries(first).map(least))
}

export function hopsOf(calls: Calls): Hops {
	const own = Object.entries(calls).filter(([, count]) => count > 0)
	return {
		files: new Set(own.map(([place]) => place.split('#')[0])).size,
		functions: own.length,
		calls: own.reduce((sum, [, count]) => sum + count, 0),
	}
}

/** The functions that a request runs, one per line by file and position, with their number of calls. */
export function listCalls(calls: Calls): string[] {
	const passed = Object.entries(calls).filter(([, count]) => count > 0)
	const found = passed.map(([place, count]) => {
		const [path = '', offset, name = ''] = place.split('#')
		const source = readSource(`server/src/${path}`)
		const line = source.slice(0, Number(offset)).split('\n').length
		// The engine has no name for private methods and inline functions.
		const shown = name || (source.slice(Number(offset)).split('\n', 1)[0] ?? '').slice(0, 60)
		return { path, line, text: `${String(count).padStart(5)}  ${path}:${line} ${shown}` }
	})
	found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
	return found.map(({ text }) => text)
}

async function countWindow(program: Program, file: string, request: () => Promise<void>): Promise<Calls> {
	rmSync(file, { force: true })
	const earlierLines = program.log.length
	process.kill(program.pid, 'SIGUSR2')
	while (!program.log.slice(earlierLines).join('').includes('counting hops')) await sleep(10)
	await request()
	// Work for the request after its answer is part of it: the flush, and the batch for the engine.
	await sleep(afterMs)
	process.kill(program.pid, 'SIGUSR2')
	while (!existsSync(file)) await sleep(10)
	return JSON.parse(readFileSync(file, 'utf8')) as Calls
}

async function prepare(program: Program, serverUrl: string, providerUrl: string) {
	const create = <T>(path: string, body: unknown) => program.api<T>('POST', path, body, 201)
	const server = await create<{ id: string; slug: string }>('/v1/mcp/servers', {
		name: 'Everything',
		url: serverUrl,
	})
	const agent = await create<{ uuid: string }>('/v1/agents', { name: 'Walker' })
	const { key } = await create<{ key: string }>(`/v1/agents/${agent.uuid}/keys`, { name: 'k' })
	await create(`/v1/mcp/servers/${server.id}/access`, { agent_uuid: agent.uuid, access_mode: 'all' })
	const account = { name: 'openai', provider: 'openai', key: 'sk-hops', base_url: `${providerUrl}/v1` }
	await create('/v1/provider-keys', account)
	const { token } = await create<{ token: string }>('/v1/ingest-tokens', { name: 't' })
	const post = (path: string, credential: string, body: object, headers = {}, agent = agents) => {
		const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
		const sent = {
			'content-type': 'application/json',
			'content-length': String(bytes.length),
			accept: 'application/json, text/event-stream',
			authorization: `Bearer ${credential}`,
			...headers,
		}
		return send(agent, program.url + path, bytes, sent)
	}
	let spans = 0
	return {
		management: async () => {
			await program.api('GET', `/v1/agents/${agent.uuid}`)
		},
		tool_call: () =>
			post(
				`/mcp/${server.slug}`,
				key,
				{
					jsonrpc: '2.0',
					id: 1,
					method: 'tools/call',
					params: {
						name: 'echo',
						arguments: { message: 'hello' },
						_meta: {
							'io.modelcontextprotocol/protocolVersion': '2026-07-28',
							'io.modelcontextprotocol/clientInfo': { name: 'hops', version: '1' },
							'io.modelcontextprotocol/clientCapabilities': {},
						},
					},
				},
				{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' },
			),
		model_call: () =>
			post('/proxy/openai/v1/chat/completions', key, {
				model: 'gpt-mock',
				messages: [{ role: 'user', content: 'hello' }],
			}),
		span: () => {
			const message = encodeRequest('traces', oneSpan(++spans))
			return post('/v1/traces', token, message, { 'content-type': 'application/x-protobuf' }, applications)
		},
		span_json: () => post('/v1/traces', token, oneSpan(++spans), {}, applications),
	}
}

/**
 * Connections of agents, and of applications that send telemetry. They are separate, because a connection that has carried a request
 * outside the fast lane stays with `node:http`.
 */
const agents = new Agent({ keepAlive: true })
const applications = new Agent({ keepAlive: true })

function send(agent: Agent, url: string, body: Buffer, headers: Record<string, string>): Promise<void> {
	return new Promise((resolve, reject) => {
		const sent = request(url, { method: 'POST', headers, agent }, (response) => {
			let text = ''
			response.setEncoding('utf8')
			response.on('data', (piece: string) => {
				text += piece
			})
			response.on('error', reject)
			response.on('end', () => {
				if (response.statusCode === 200) resolve()
				else reject(new Error(`${url} answered ${response.statusCode}: ${text}`))
			})
		})
		sent.on('error', reject)
		sent.end(body)
	})
}

function oneSpan(number: number) {
	const id = number.toString(16)
	const startTimeUnixNano = `${Date.now()}000000`
	const span = {
		...{ traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0'), name: 'tools/call echo', kind: 2 },
		...{ startTimeUnixNano, endTimeUnixNano: startTimeUnixNano },
	}
	return {
		resourceSpans: [
			{
				resource: { attributes: [{ key: 'service.name', value: { stringValue: 'hops' } }] },
				scopeSpans: [{ spans: [span] }],
			},
		],
	}
}
