import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import type { CodingAgent } from './coding-agents.ts'
import type { InstrumentedProgram } from './programs.ts'
import { startInstrumentedProvider } from './provider.ts'

const run = promisify(execFile)
const here = new URL('.', import.meta.url).pathname

/** A body that was received at `/v1/traces` or `/v1/logs`, decompressed. */
export interface Sent {
	/** True for logs, absent for traces. */
	logs?: true
	type: 'json' | 'protobuf'
	/** The body in base64. */
	body: string
}

/** The result of one run of a program: the telemetry that it sent, and the spans that the gateway and the proxy recorded. */
export interface RunOfProgram {
	sent: Sent[]
	own: Record<string, unknown>[]
}

/** An instance of Signalbox between instrumented programs and a provider. */
export interface InstrumentedStage {
	program: Program
	run(given: InstrumentedProgram, home: string, more?: Record<string, string>): Promise<RunOfProgram>
	/** `packages` is the folder where the agent is installed. */
	runAgent(agent: CodingAgent, packages: string): Promise<RunOfProgram>
	close(): Promise<void>
}

export const sessionOf = ({ language, kind }: Pick<InstrumentedProgram, 'language' | 'kind'>) =>
	`session-${language}-${kind}`
const userOf = ({ language, kind }: Pick<InstrumentedProgram, 'language' | 'kind'>) =>
	`user-${language}-${kind}`

export async function startInstrumentedStage(): Promise<InstrumentedStage> {
	const dataDir = newDataDir()
	const provider = await startInstrumentedProvider()
	const program = await startProgram(dataDir)
	const receiver = await startReceiver(program)
	const agent = await prepare(program, provider.url)
	const record = async (run: () => Promise<unknown>): Promise<RunOfProgram> => {
		const start = new Date().toISOString()
		receiver.sent.length = 0
		await run()
		// The last spans may not be stored yet.
		await new Promise((resolve) => setTimeout(resolve, 3000))
		return { sent: [...receiver.sent], own: await ownSpans(program, start) }
	}
	return {
		program,
		run: (given, home, more = {}) =>
			record(() =>
				runProgram(given, home, { ...agent, ...environmentOf(given, program.url, receiver.url), ...more }),
			),
		runAgent: (given, packages) =>
			record(() => runAgent(given, packages, program.url, agent.MCP_KEY as string, receiver.url)),
		close: async () => {
			await program.kill('SIGTERM')
			receiver.close()
			provider.close()
			removeDataDir(dataDir)
		},
	}
}

async function prepare(program: Program, providerUrl: string): Promise<Record<string, string>> {
	const { api } = program
	for (const [name, path] of [
		['openai', '/v1'],
		['anthropic', ''],
		['gemini', ''],
	] as const)
		await api(
			'POST',
			'/v1/provider-keys',
			{ name, provider: name, key: 'sk-of-the-provider', base_url: providerUrl + path },
			201,
		)
	const { uuid } = await api<{ uuid: string }>('POST', '/v1/agents', { name: 'planner' }, 201)
	const { key } = await api<{ key: string }>('POST', `/v1/agents/${uuid}/keys`, { name: 'k' }, 201)
	const server = { name: 'weather', url: `${providerUrl}/mcp` }
	const { id } = await api<{ id: string }>('POST', '/v1/mcp/servers', server, 201)
	await api('POST', `/v1/mcp/servers/${id}/access`, { agent_uuid: uuid }, 201)
	return { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, MCP_KEY: key }
}

function environmentOf(given: InstrumentedProgram, url: string, receiver: string): Record<string, string> {
	return {
		OPENAI_BASE_URL: `${url}/proxy/openai/v1`,
		ANTHROPIC_BASE_URL: `${url}/proxy/anthropic`,
		MCP_URL: `${url}/mcp/weather`,
		PROGRAM_SESSION: sessionOf(given),
		PROGRAM_USER: userOf(given),
		OTEL_EXPORTER_OTLP_ENDPOINT: receiver,
		OTEL_SERVICE_NAME: 'program',
		LANGFUSE_HOST: receiver,
		LANGFUSE_BASE_URL: receiver,
		LANGFUSE_PUBLIC_KEY: 'pk-lf-1',
		LANGFUSE_SECRET_KEY: 'sk-lf-1',
		TRACELOOP_BASE_URL: receiver,
		TRACELOOP_API_KEY: 'key',
		OPENAI_AGENTS_DISABLE_TRACING: '0',
		...(given.names === 'headers' && {
			PROGRAM_HEADERS: JSON.stringify({
				'x-signalbox-session-id': sessionOf(given),
				'x-signalbox-user-id': userOf(given),
			}),
		}),
	}
}

async function runProgram(
	{ language, kind }: InstrumentedProgram,
	home: string,
	environment: Record<string, string>,
): Promise<void> {
	const [command, args] =
		language === 'python'
			? [`${home}/bin/python`, [`${here}python/program.py`, kind]]
			: [process.execPath, ['--experimental-import-meta-resolve', `${here}js/program.mjs`, kind, home]]
	const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment } as NodeJS.ProcessEnv
	await run(command as string, args as string[], { env, cwd: home, timeout: 120_000 })
}

async function runAgent(
	given: CodingAgent,
	packages: string,
	url: string,
	key: string,
	receiver: string,
): Promise<void> {
	const home = mkdtempSync(join(tmpdir(), 'signalbox-agent-'))
	const { command, args, env: own } = given.start({ url, key, receiver, home })
	const env = { PATH: process.env.PATH, HOME: home, ...own } as NodeJS.ProcessEnv
	const program = run(join(packages, 'node_modules/.bin', command), args, {
		env,
		cwd: home,
		timeout: 240_000,
	})
	program.child.stdin?.end()
	await program.finally(() => rmSync(home, { recursive: true, force: true }))
}

/** Starts a receiver that keeps all telemetry and forwards it to the program. */
async function startReceiver(program: Program): Promise<{ url: string; sent: Sent[]; close(): void }> {
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
	const sent: Sent[] = []
	const server = createServer((request, response) => {
		void buffer(request).then(async (raw) => {
			const path = /\/v1\/(traces|logs)$/.exec(request.url ?? '')?.[0]
			if (!path) return void response.writeHead(404).end('{}')
			const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
			const contentType = request.headers['content-type'] ?? ''
			const type = contentType.includes('json') ? 'json' : 'protobuf'
			sent.push({ ...(path === '/v1/logs' && { logs: true }), type, body: bytes.toString('base64') })
			const answer = await fetch(program.url + path, {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
				body: new Uint8Array(bytes),
			})
			response.writeHead(answer.status, { 'content-type': contentType })
			response.end(Buffer.from(await answer.arrayBuffer()))
		})
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const close = () => {
		server.closeAllConnections()
		server.close()
	}
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent, close }
}

async function ownSpans(program: Program, start: string): Promise<Record<string, unknown>[]> {
	const spans: Record<string, unknown>[] = []
	for (const source of ['model_proxy', 'gateway']) {
		const found = await program.api<{ spans: Record<string, unknown>[] }>(
			'GET',
			`/v1/telemetry/spans?limit=100&source=${source}&start=${encodeURIComponent(start)}`,
		)
		spans.push(...found.spans)
	}
	return spans
}
