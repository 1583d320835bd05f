import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { ProblemCode } from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import type { Config } from '../config/config.ts'
import { openWorkerStores, type Stores } from '../operate/stores/stores.ts'
import type { EngineAddress } from '../platform/clickhouse/store.ts'
import { endInOrder } from '../platform/end-in-order.ts'
import { Problem } from '../platform/errors.ts'
import { peerOf } from '../platform/http/client-address.ts'
import { belowBasePath } from '../platform/http/paths.ts'
import { refuseWithProblem } from '../platform/http/refusals.ts'
import { newId } from '../platform/ids.ts'
import { createLog, type Log } from '../platform/log.ts'
import { http } from '../platform/node-http.ts'
import type { PrimaryProcesses, Processes } from '../platform/processes/processes.ts'
import { releaseMemory, watchOpenFiles } from '../platform/resources.ts'
import { Agent } from '../platform/undici.ts'
import { readVersion } from '../platform/version.ts'
import type { Programs } from '../servers/programs/index.ts'
import { createApp } from './app.ts'
import type { Ports } from './listeners.ts'
import { joinListeners } from './listeners.ts'
import type { App } from './serve-areas.ts'
import { type BusAddress, busHeaders, openBus, passedHeaders } from './workers/bus.ts'
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
	response.flushHeaders()
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
