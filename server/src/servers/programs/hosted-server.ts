import { randomUUID } from 'node:crypto'
import type { Dispatcher } from 'undici'
import {
	objectIn,
	ownProcessHeader,
	PipeExchange,
	parseRpc,
	type RpcObject,
	readPlainCall,
} from '../../mcp-client/index.ts'
import { Problem } from '../../platform/errors.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { ProgramLimits, ProgramSpec } from './program-spec.ts'
import { type LogRing, type ProgramSession, RunningProgram, whereItsLogIs } from './running-program.ts'
import type { Command } from './sandbox/sandbox.ts'

/** A program that ran this long did not fail at startup. */
const settledMs = 10_000
const backOff = { firstMs: 1000, maxMs: 60_000 }

export type ProgramState = 'stopped' | 'running' | 'waiting'

interface HostedServerOptions {
	spec: ProgramSpec
	/** It outlives the programs, so that the reason for an exit can be read. */
	log: LogRing
	limits: ProgramLimits
	nowMs(): number
	/** Throws a `Problem` if it must not be started. */
	command(): Command
	/** Whether the machine's limit allows one more process. */
	hasRoom(): boolean
}

/** The processes of one MCP server: a shared one, and one for each session whose client can receive requests. */
export class HostedServer {
	readonly spec: ProgramSpec
	readonly log: LogRing
	readonly running = new Set<RunningProgram>()
	readonly #options: HostedServerOptions
	#shared: RunningProgram | null = null
	#failures = 0
	/** By the monotonic clock. */
	#nextStartMs = 0
	#starts = 0
	#lastEnd: string | null = null
	#lastFailure = ''
	#isClosed = false

	constructor(options: HostedServerOptions) {
		this.#options = options
		this.spec = options.spec
		this.log = options.log
		this.log.hide(Object.values(options.spec.env))
	}

	/** The program that sessions share; started if it is not running. */
	shared(): RunningProgram {
		this.#shared ??= this.start(true)
		return this.#shared
	}

	/** Whether the shared program may not have read anything yet, so that its silence says nothing. */
	get isStarting(): boolean {
		const shared = this.#shared
		return shared !== null && !shared.initialized && performance.now() - shared.startedMs < settledMs
	}

	/** Starts a process. Throws `upstream_unreachable` during the back-off after failures, or if it must not run. */
	start(isShared: boolean): RunningProgram {
		const { nowMs, limits, hasRoom } = this.#options
		if (this.#isClosed) throw unreachable('The program was stopped.')
		const waitMs = this.#nextStartMs - performance.now()
		if (waitMs > 0)
			throw unreachable(
				`The program ${this.#lastFailure} ${this.#failures} times in a row; it starts again in ${Math.ceil(waitMs / 1000)} s. ${whereItsLogIs}`,
			)
		if (!hasRoom()) throw unreachable('As many programs run as may run at once.')
		const program = new RunningProgram(this.#options.command(), {
			limits,
			ring: this.log,
			isShared,
			nowMs,
			ended: (ended, reason) => this.#noteEnd(ended, reason),
		})
		this.#starts += 1
		this.running.add(program)
		this.log.add(nowMs(), 'signalbox', `The program started (process ${program.process.pid ?? '–'}).`)
		return program
	}

	get state() {
		const waitMs = this.#nextStartMs - performance.now()
		const isWaiting = waitMs > 0
		const state: ProgramState = this.running.size > 0 ? 'running' : isWaiting ? 'waiting' : 'stopped'
		return {
			state,
			starts: this.#starts,
			failures: this.#failures,
			last_end: this.#lastEnd,
			next_start_ms: isWaiting ? this.#options.nowMs() + Math.round(waitMs) : null,
		}
	}

	/** Ends programs that nobody has used for a while. */
	reap(): void {
		const { limits } = this.#options
		for (const program of this.running)
			if (!program.isBusy && performance.now() - program.lastUsedMs > limits.idleMs)
				void this.end(program, 'was not used')
	}

	async end(program: RunningProgram, reason: string): Promise<void> {
		if (this.#shared === program) this.#shared = null
		await program.process.end(reason)
	}

	async close(reason: string): Promise<void> {
		this.#isClosed = true
		await Promise.all([...this.running].map((program) => this.end(program, reason)))
	}

	#noteEnd(program: RunningProgram, reason: string): void {
		const wanted = program !== this.#shared && program.isShared
		this.running.delete(program)
		if (this.#shared === program) this.#shared = null
		this.#lastEnd = reason
		if (wanted || reason === 'was not used' || reason === 'lost its session' || this.#isClosed) return
		this.#lastFailure = reason
		const nowMs = performance.now()
		const lived = nowMs - program.startedMs
		this.#failures = lived > settledMs ? 1 : this.#failures + 1
		// A first failure may be caused by a request that the program did not know, so it may restart at once.
		if (this.#failures > 1) this.#nextStartMs = nowMs + doubledMs(backOff, this.#failures - 2)
	}
}

function unreachable(text: string): Problem {
	return new Problem('upstream_unreachable', text)
}

/** A request from the HTTP side. */
export interface ProgramRequest {
	method: string
	headers: Readonly<Record<string, string>>
	body: string
	/** Idle timeout; 0: none. */
	idleMs: number
	/** A health check, which does not count as use of the program. */
	isProbe: boolean
}

interface Exchanging {
	server: HostedServer
	request: ProgramRequest
	exchange: PipeExchange
	/** The action when the caller disconnects. */
	abort: { run(): void }
}

/** Speaks streamable HTTP on behalf of a program, in both eras: POST, the GET stream of a session, and DELETE. */
export function serveExchange(
	server: HostedServer,
	request: ProgramRequest,
	handler: Dispatcher.DispatchHandler,
): void {
	const abort = { run: () => {} }
	const exchange = new PipeExchange(handler, request.idleMs, () => abort.run())
	const exchanging: Exchanging = { server, request, exchange, abort }
	try {
		if (request.method === 'POST') post(exchanging)
		else if (request.method === 'GET') listen(exchanging)
		else endSession(exchanging)
	} catch (error) {
		exchange.fail(error instanceof Error ? error : new Error(String(error)))
	}
}

function post(exchanging: Exchanging): void {
	const { request, exchange } = exchanging
	const call = readPlainCall(request.body)
	const message = call ?? parseRpc(request.body)
	if (!message) return void exchange.status(400)
	if (message.method === 'initialize') return void openSession(exchanging, message)
	const found = programOf(exchanging)
	if (!found) return void refuseSession(exchanging, message)
	const { program, session } = found
	use(exchanging, program)
	if (message.id === undefined || typeof message.method !== 'string') {
		pass(program, message, session)
		return void exchange.status(202)
	}
	const wireId = call
		? program.peer.call(call, session, exchange)
		: program.peer.request(message as RpcObject, session, exchange)
	exchanging.abort.run = () => program.peer.cancel(wireId)
}

/** The program for a request: that of its session, or without sessions (2026-07-28 and later) the shared one. */
function programOf({ server, request }: Exchanging): { program: RunningProgram; session: string } | null {
	const id = request.headers['mcp-session-id']
	if (id === undefined) return { program: server.shared(), session: '' }
	const session = findSession(server, id)
	return session && { program: session.program, session: id }
}

function findSession(server: HostedServer, id: string): ProgramSession | null {
	for (const { sessions, process } of server.running) {
		const session = process.isOpen ? sessions.get(id) : undefined
		if (session) return session
	}
	return null
}

function refuseSession({ exchange }: Exchanging, { id = null }: { id?: unknown }): void {
	const error = { code: -32001, message: 'Session not found' }
	exchange.answer(JSON.stringify({ jsonrpc: '2.0', id, error }), {}, 404)
}

/** On a shared program, one client's `initialized` counts for all. */
function pass(program: RunningProgram, message: RpcObject, session: string): void {
	if (typeof message.method !== 'string') return void program.peer.answer(message)
	if (message.method === 'notifications/initialized') {
		if (program.sentInitialized) return
		program.sentInitialized = true
	}
	void program.peer.notify(message, session)
}

/**
 * A client that can receive requests (it announces capabilities) gets its own program, since nothing on a pipe tells to which call
 * a request of the server belongs. All other clients share one, whose handshake happens once.
 */
function openSession(exchanging: Exchanging, message: RpcObject): void {
	const { server, exchange, request } = exchanging
	const canBeAsked = Object.keys(objectIn(objectIn(message.params).capabilities)).length > 0
	const isSpared = request.headers[ownProcessHeader] !== undefined && server.isStarting
	const isShared = !canBeAsked && !isSpared
	const program = isShared ? server.shared() : server.start(false)
	use(exchanging, program)
	// Nobody else would end the process of a client that did not wait for its session.
	if (!isShared) exchanging.abort.run = () => void server.end(program, 'lost its session')
	program.initialized ??= initialize(program, message, exchanging)
	program.initialized.then(
		(answer) => {
			// Nobody knows the session of a client that has left.
			if (exchange.isDone) return
			const isRefused = answer.result === undefined
			const headers = isRefused ? {} : { 'mcp-session-id': addSession(program).id }
			if (isRefused) program.initialized = null
			if (isRefused && !isShared) void server.end(program, 'lost its session')
			exchange.answer(JSON.stringify({ ...answer, id: message.id }), headers)
		},
		(error: Error) => {
			program.initialized = null
			exchange.fail(error)
		},
	)
}

/** Independent of the exchange that asked first, because others may wait for it too. */
function initialize(
	program: RunningProgram,
	message: RpcObject,
	{ request }: Exchanging,
): Promise<RpcObject> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = []
		const asked = new PipeExchange(
			{
				onRequestStart: () => {},
				onResponseStart: () => {},
				onResponseData: (_controller, chunk) => chunks.push(chunk),
				onResponseEnd: () => resolve(parseRpc(Buffer.concat(chunks).toString()) ?? {}),
				onResponseError: (_controller, error) => reject(error),
			},
			request.idleMs,
			() => program.peer.cancel(wireId),
		)
		const wireId = program.peer.request(message, '', asked)
	})
}

function addSession(program: RunningProgram): ProgramSession {
	const session = { id: randomUUID(), program, streams: new Set<PipeExchange>() }
	program.sessions.set(session.id, session)
	return session
}

function listen(exchanging: Exchanging): void {
	const { server, request, exchange, abort } = exchanging
	const session = findSession(server, request.headers['mcp-session-id'] ?? '')
	if (!session) return void exchange.status(request.headers['mcp-session-id'] === undefined ? 405 : 404)
	session.streams.add(exchange)
	abort.run = () => session.streams.delete(exchange)
	exchange.openStream()
}

function endSession({ server, request, exchange }: Exchanging): void {
	const session = findSession(server, request.headers['mcp-session-id'] ?? '')
	if (!session) return void exchange.status(404)
	const { program, id, streams } = session
	program.sessions.delete(id)
	program.peer.forget(id)
	for (const stream of streams) stream.fail(new Problem('upstream_unreachable', 'The session was ended.'))
	if (!program.isShared) void server.end(program, 'lost its session')
	exchange.status(204)
}

function use({ request }: Exchanging, program: RunningProgram): void {
	if (!request.isProbe) program.lastUsedMs = performance.now()
}
