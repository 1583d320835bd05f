import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ProblemCode } from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import type { Config } from '../config/config.ts'
import { openWorkerStores, type Stores } from '../operate/stores/stores.ts'
import type { EngineAddress } from '../platform/clickhouse/store.ts'
import { endInOrder } from '../platform/end-in-order.ts'
import { Problem } from '../platform/errors.ts'
import { peerOf, setPeer } from '../platform/http/client-address.ts'
import { belowBasePath } from '../platform/http/paths.ts'
import { refuseWithProblem } from '../platform/http/refusals.ts'
import { newId } from '../platform/ids.ts'
import { listenOnSocket } from '../platform/local-socket.ts'
import { createLog, type Log } from '../platform/log.ts'
import { flushHead, http } from '../platform/node-http.ts'
import type { PrimaryProcesses, Processes } from '../platform/processes/processes.ts'
import { releaseMemory, watchOpenFiles } from '../platform/resources.ts'
import { Agent } from '../platform/undici.ts'
import { readVersion } from '../platform/version.ts'
import type { Programs } from '../servers/programs/index.ts'
import { createApp } from './app.ts'
import { joinListeners, type Ports } from './listeners.ts'
import type { App } from './serve-areas.ts'
import { superviseWorkers, type Workers } from './workers/supervise-workers.ts'

/** The first message of the primary to a worker; the response means that it serves. */
export interface WorkerStart {
	config: Config
	ports: Ports
	/** The primary's embedded engine, if that is the telemetry store. */
	engine: EngineAddress | undefined
	bus: BusAddress
}

interface WithWorkers {
	config: Config
	ports: Ports
	stores: Stores
	app: App
	/** The handler of the listeners' requests. */
	handle: Parameters<typeof openBus>[0]['handle']
	processes: PrimaryProcesses
	log: Log
}

/** A placeholder before the workers are started, when none of them serves. */
export function pendingWorkers(count: number): Workers {
	const numbers = Array.from({ length: count }, (_, at) => at + 1)
	return { down: () => numbers, restarts: () => 0, stop: async () => undefined }
}

/** Opens the bus to the primary, and starts the workers that use it. */
export async function startWorkers(parts: WithWorkers): Promise<Workers> {
	const { config, ports, stores, app, handle, processes, log } = parts
	const bus = await openBus({ dataDir: config.dataDir, handle, exchange: app.exchange })
	const start: WorkerStart = { config, ports, engine: stores.telemetry.engine, bus: bus.address }
	const workers = await superviseWorkers({ count: config.WORKERS - 1, processes, start, log })
	return {
		...workers,
		stop: async (graceMs) => {
			await workers.stop(graceMs)
			await bus.close()
		},
	}
}

/**
 * Serves agents, models and telemetry beside the primary, on the same stores and ports; everything else is forwarded to the
 * primary. Resolves with a function that stops it like the primary, except for parts that only the primary has.
 */
export async function runWorker(
	{ config, ports, engine, bus }: WorkerStart,
	processes: Processes,
): Promise<() => Promise<void>> {
	const { number } = processes
	const log = createLog(config.LOG_LEVEL).child({ worker: number })
	const stores = await openWorkerStores(config, { number, engine, log })
	const programs = openProgramsOfPrimary(bus)
	const toPrimary = { forward: createForwarder(bus), exchange: programs.exchange }
	const ownPorts = () => Object.values(ports).filter((port) => port !== null)
	const version = readVersion()
	const app = await createApp({ config, stores, log, version, ownPorts, processes, toPrimary })
	releaseMemory()
	const handle = belowBasePath(config.PUBLIC_URL, app.handle)
	const listeners = await joinListeners(config, ports, { handle, usesFastLane: app.usesFastLane })
	const stopWatching = watchOpenFiles(log)
	return async () => {
		stopWatching()
		const graceMs = config.STOP_GRACE_SECONDS * 1000
		app.drain()
		await endInOrder(log, [
			['listeners', graceMs + 1000, () => listeners.close(graceMs)],
			['areas', 8000, () => app.close()],
			['programs of the primary', 1000, () => programs.close()],
			['stores', 3000, () => stores.close(2000)],
		])
	}
}

interface ProgramsOfPrimary {
	exchange: Programs['exchange']
	close(): Promise<void>
}

/** A worker's connection to hosted programs, which run only in the primary. */
function openProgramsOfPrimary({ socketPath, key }: BusAddress): ProgramsOfPrimary {
	// The primary decides how long a program may be silent.
	const agent = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 })
	return {
		exchange: (serverId, { method, headers, body, idleMs }, handler) => {
			const added = {
				[busHeaders.key]: key,
				[busHeaders.program]: serverId,
				[busHeaders.idleMs]: String(idleMs),
			}
			const asked = {
				origin: 'http://primary',
				path: '/',
				method: method as Dispatcher.HttpMethod,
				body: body || null,
			}
			agent.dispatch(
				{ ...asked, headers: { ...withoutLength(headers), ...added } },
				new WithFailures(handler),
			)
		},
		close: () => agent.destroy(),
	}
}

/** The body's length is computed again. */
function withoutLength({ 'content-length': _length, ...headers }: Readonly<Record<string, string>>) {
	return headers
}

/** Reports a failure of the exchange in the primary to the handler as if it had happened here. */
class WithFailures implements Dispatcher.DispatchHandler {
	readonly #handler: Dispatcher.DispatchHandler
	#failure: { kind: 'problem' | 'error'; code: string; chunks: Buffer[] } | null = null

	constructor(handler: Dispatcher.DispatchHandler) {
		this.#handler = handler
	}

	onRequestStart(...of: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
		this.#handler.onRequestStart?.(...of)
	}

	onResponseStart(...of: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
		const [, , headers] = of
		const { [busHeaders.problem]: problem, [busHeaders.failure]: failure } = headers
		if (problem !== undefined) this.#failure = { kind: 'problem', code: String(problem), chunks: [] }
		else if (failure !== undefined) this.#failure = { kind: 'error', code: String(failure), chunks: [] }
		else this.#handler.onResponseStart?.(...of)
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#failure) this.#failure.chunks.push(chunk)
		else this.#handler.onResponseData?.(controller, chunk)
	}

	onResponseEnd(...of: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
		if (!this.#failure) return void this.#handler.onResponseEnd?.(...of)
		const { kind, code, chunks } = this.#failure
		const message = Buffer.concat(chunks).toString()
		const error =
			kind === 'problem'
				? new Problem(code as ProblemCode, message)
				: Object.assign(new Error(message), code && { code })
		this.#handler.onResponseError?.(of[0], error)
	}

	onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
		this.#handler.onResponseError?.(controller, error)
	}
}

/** Forwards requests to the primary unchanged, and streams its responses back. */
function createForwarder({ socketPath, key }: BusAddress) {
	const options = { keepAlive: true, socketPath }
	const agent = new http.Agent(options)
	return (request: IncomingMessage, response: ServerResponse): void => {
		const headers = [
			...passedHeaders(request.rawHeaders),
			...[busHeaders.key, key, busHeaders.peer, peerOf(request)],
			...(hasBody(request) && !request.headers['content-length'] ? ['transfer-encoding', 'chunked'] : []),
		]
		const { method, url: path } = request
		const asked = http.request({ agent, socketPath, method, path, headers })
		asked.once('response', (answer) => passOn(answer, response))
		asked.once('error', () => refuse(request, response))
		response.once('close', () => asked.destroy())
		send(request, asked)
	}
}

function hasBody({ headers }: IncomingMessage): boolean {
	return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function send(request: IncomingMessage, asked: ClientRequest): void {
	if (hasBody(request)) request.pipe(asked)
	else asked.end()
}

function passOn(answer: IncomingMessage, response: ServerResponse): void {
	response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedHeaders(answer.rawHeaders))
	// Opening an event stream is already information for the client.
	flushHead(response)
	answer.pipe(response)
	answer.once('error', () => response.destroy())
}

/** The primary is ending, and this process with it. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
	if (response.headersSent || response.destroyed) return void response.destroy()
	const problem = new Problem('shutting_down', undefined, { retryAfterS: 1 })
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	refuseWithProblem(request, response, problem, newId())
	request.resume()
}

/** The socket on which workers reach the primary, and the key of this start. */
interface BusAddress {
	socketPath: string
	key: string
}

interface Bus {
	address: BusAddress
	close(): Promise<void>
}

interface BusOptions {
	dataDir: string
	/** Handles a request that a worker forwards. */
	handle(request: IncomingMessage, response: ServerResponse): void
	/** Performs an exchange between a worker and a hosted program. */
	exchange: Programs['exchange']
}

/** Opens the unix socket (mode 0600) on which the primary accepts requests that workers cannot serve themselves. */
async function openBus({ dataDir, handle, exchange }: BusOptions): Promise<Bus> {
	const key = randomBytes(32).toString('hex')
	const { path, close } = await listenOnSocket(dataDir, 'workers.sock', (request, response) => {
		const { [busHeaders.peer]: peer, [busHeaders.program]: program } = request.headers
		if (!hasKey(request, key)) return void response.writeHead(403).end()
		if (typeof program === 'string') return serveProgram(exchange, program, request, response)
		withoutBusHeaders(request)
		setPeer(request, String(peer))
		handle(request, response)
	})
	return { address: { socketPath: path, key }, close }
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
	const given = Buffer.from(String(headers[busHeaders.key] ?? ''))
	const expected = Buffer.from(key)
	return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Performs one exchange between a worker and a program that runs here. */
function serveProgram(
	exchange: Programs['exchange'],
	serverId: string,
	request: IncomingMessage,
	response: ServerResponse,
): void {
	const { [busHeaders.idleMs]: idleMs, ...rest } = request.headers
	const headers = rest as Record<string, string>
	text(request).then(
		(body) => {
			const asked = { method: request.method ?? 'GET', headers, body, idleMs: Number(idleMs), isProbe: false }
			exchange(serverId, asked, answerTo(response))
		},
		() => response.destroy(),
	)
}

/** Sends the program's response to the worker that asked. */
function answerTo(response: ServerResponse): Dispatcher.DispatchHandler {
	return {
		onRequestStart: (controller) => {
			response.once('close', () => {
				if (!response.writableFinished) controller.abort(new Error('The caller left.'))
			})
			response.on('drain', () => controller.resume())
		},
		onResponseStart: (_controller, status, headers) => {
			response.writeHead(status, headers as OutgoingHttpHeaders)
			flushHead(response)
		},
		onResponseData: (controller, chunk) => {
			if (!response.write(chunk)) controller.pause()
		},
		onResponseEnd: () => void response.end(),
		onResponseError: (_controller, error) => fail(response, error),
	}
}

function fail(response: ServerResponse, error: Error): void {
	if (response.headersSent || response.destroyed) return void response.destroy()
	const { code } = error as { code?: string }
	const kind = error instanceof Problem ? busHeaders.problem : busHeaders.failure
	response.writeHead(502, { [kind]: code ?? '' }).end(error.message)
}

/** Headers that workers add to a request on the bus, which nobody else can reach. */
const busHeaders = {
	/** The key of this start. */
	key: 'x-signalbox-bus-key',
	/** Peer address of a forwarded request. */
	peer: 'x-signalbox-bus-peer',
	/** Id of the server whose program the exchange is with. */
	program: 'x-signalbox-bus-program',
	/** Idle timeout of such an exchange; 0: none. */
	idleMs: 'x-signalbox-bus-idle-ms',
	/** Replaces a program's response: the code of a `Problem` or of another error, whose message is the body. */
	problem: 'x-signalbox-bus-problem',
	failure: 'x-signalbox-bus-failure',
} as const

const own: ReadonlySet<string> = new Set(Object.values(busHeaders))
/** Hop-by-hop headers (RFC 9110 §7.6.1). */
const ofOneHop: ReadonlySet<string> = new Set([
	'connection',
	'keep-alive',
	'proxy-connection',
	'te',
	'transfer-encoding',
	'upgrade',
])

/** Alternating names and values, without the headers of the bus and the hop-by-hop headers. */
function passedHeaders(rawHeaders: readonly string[]): string[] {
	const passed: string[] = []
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at] as string
		const lower = name.toLowerCase()
		if (!own.has(lower) && !ofOneHop.has(lower)) passed.push(name, rawHeaders[at + 1] as string)
	}
	return passed
}

/** Restores the request as its sender made it. */
function withoutBusHeaders(request: IncomingMessage): void {
	for (const name of own) delete request.headers[name]
	request.rawHeaders = request.rawHeaders.flatMap((text, at, all) =>
		own.has((all[at - (at % 2)] as string).toLowerCase()) ? [] : [text],
	)
}
