import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Dispatcher } from 'undici'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { openPrograms, type Programs, type ProgramsOptions } from './index.ts'
import type { ProgramSpec } from './program-spec.ts'

/** Programs for a test in a temporary directory, with a client for them. */
export interface TestPrograms extends Programs {
	/** The results of `specOf`; changing one changes the program. */
	specs: Map<string, ProgramSpec>
	directory: string
	/** A session with the program of this id. */
	client(id?: string): ProgramClient
}

export interface ProgramAnswer {
	status: number
	headers: Record<string, unknown>
	/** Every message of the response stream, the last one being the response itself. */
	// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of the response.
	messages: any[]
}

export interface ProgramClient {
	initialize(capabilities?: object): Promise<ProgramAnswer>
	/** The text that a tool returned; rejects with its error. */
	call(tool: string, values?: object, meta?: object): Promise<string>
	send(message: object, signal?: AbortSignal, idleMs?: number): Promise<ProgramAnswer>
	end(): Promise<ProgramAnswer>
	session: string | null
}

export const testingProgram = join(import.meta.dirname, 'testing-program.mjs')

/** Uses the era of the first message that it receives. */
export const bothErasProgram = join(import.meta.dirname, 'testing-both-eras.mjs')

export function specOf(serverId: string, changes: Partial<ProgramSpec> = {}): ProgramSpec {
	return {
		...{ serverId, command: 'node', args: [testingProgram], env: {} },
		...{ allowedHosts: [], accepted: 'in a sandbox', restartedAtMs: null, package: null, ...changes },
	}
}

/** The script of a public MCP server that is installed for tests. */
export function scriptOf(name: string): string {
	const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
	return join(dirname(manifest), 'dist/index.js')
}

export function openTestPrograms(options: Partial<ProgramsOptions> = {}): TestPrograms {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-hosted-'))
	const specs = new Map<string, ProgramSpec>([['one', specOf('one')]])
	const programs = openPrograms({
		...{ directory, clock: systemClock, log: silentLog, readable: [import.meta.dirname] },
		specOf: (id) => specs.get(id) ?? null,
		connect: () => Promise.reject<Socket>(new Error('no network')),
		...options,
	})
	const close = async () => {
		await programs.close()
		rmSync(directory, { recursive: true, force: true })
	}
	return { ...programs, specs, directory, close, client: (id = 'one') => clientOf(programs, id) }
}

let lastId = 0

function clientOf(programs: Programs, id: string): ProgramClient {
	const client: ProgramClient = {
		session: null,
		initialize: async (capabilities = {}) => {
			const clientInfo = { name: 'test', version: '1' }
			const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
			const answer = await client.send({ method: 'initialize', params })
			client.session = (answer.headers['mcp-session-id'] as string) ?? null
			await client.send({ method: 'notifications/initialized' })
			return answer
		},
		call: async (name, values = {}, meta = {}) => {
			lastId += 1
			const params = { name, arguments: values, _meta: meta }
			const { messages } = await client.send({ id: lastId, method: 'tools/call', params })
			const { error, result } = messages.at(-1)
			if (error) throw new Error(error.message)
			return result.content[0].text
		},
		send: (message, signal, idleMs = 0) => {
			const method = (message as { method?: string }).method
			const withId = method === 'initialize' ? { id: 0, ...message } : message
			return exchange(
				programs,
				id,
				{ method: 'POST', message: withId, session: client.session, idleMs },
				signal,
			)
		},
		end: () =>
			exchange(programs, id, { method: 'DELETE', message: null, session: client.session, idleMs: 0 }),
	}
	return client
}

/** One complete exchange. */
export function exchange(
	programs: Pick<Programs, 'exchange'>,
	id: string,
	request: { method: string; message: object | null; session: string | null; idleMs: number },
	signal?: AbortSignal,
	onData: (text: string) => void = () => {},
): Promise<ProgramAnswer> {
	const { method, message, session, idleMs } = request
	return new Promise((resolve, reject) => {
		const answer = { status: 0, headers: {} as Record<string, unknown> }
		const chunks: Buffer[] = []
		const handler: Dispatcher.DispatchHandler = {
			onRequestStart: (controller) =>
				signal?.addEventListener('abort', () => controller.abort(new Error('aborted'))),
			onResponseStart: (_controller, status, headers) => void Object.assign(answer, { status, headers }),
			onResponseData: (_controller, chunk) => {
				chunks.push(chunk)
				onData(chunk.toString())
			},
			onResponseEnd: () => resolve({ ...answer, messages: messagesIn(Buffer.concat(chunks).toString()) }),
			onResponseError: (_controller, error) => reject(error),
		}
		const headers = session === null ? {} : { 'mcp-session-id': session }
		const body = message ? JSON.stringify({ jsonrpc: '2.0', ...message }) : ''
		programs.exchange(
			id,
			{ method, headers: headers as Record<string, string>, body, idleMs, isProbe: false },
			handler,
		)
	})
}

function messagesIn(text: string): unknown[] {
	if (!text.startsWith('event:')) return text === '' ? [] : [JSON.parse(text)]
	return text.match(/^data: .*$/gm)?.map((line) => JSON.parse(line.slice(6))) ?? []
}

/** The number of processes on the machine whose command line contains this text. */
export function commandsWith(text: string): number {
	const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
	return pids.filter((pid) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
		} catch {
			return false
		}
	}).length
}
