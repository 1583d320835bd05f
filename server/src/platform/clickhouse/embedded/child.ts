// The program of the engine's process. It exits when its standard input closes, so it never outlives its parent.

import { randomUUID, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { ReusableMemory } from '../../free-bytes.ts'
import { http } from '../../node-http.ts'
import { basicAuthorization, type ChildEvent, type ChildStart, engineRunHeader } from './child-process.ts'
import { type Engine, openEngine, type QueryOutcome } from './engine.ts'
import { type EngineCall, readEngineCall, StatementRefused } from './query-request.ts'

const drainMs = 2_000
const statusDescriptor = 3

function tell(event: ChildEvent): void {
	try {
		writeSync(statusDescriptor, `${JSON.stringify(event)}\n`)
	} catch {
		// The parent has exited; the end of standard input ends this process.
	}
}

async function serve(start: ChildStart): Promise<void> {
	mkdirSync(start.directory, { recursive: true, mode: 0o700 })
	const engine = await openEngine(start)
	const operations = createOperations(() => performance.now())
	const server = createFacade({ engine, operations, key: start.key })
	endInOrder = () => end(server, engine, (timeoutMs) => operations.drain(timeoutMs))
	await listen(server, start.socketPath)
	const version = await engine.read('SELECT version()', 'TSVRaw', {})
	tell({ event: 'ready', version: Buffer.from(version.bytes).toString().trim() })
}

async function listen(server: Server, socketPath: string): Promise<void> {
	rmSync(socketPath, { force: true })
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject)
		server.listen(socketPath, resolve)
	})
	chmodSync(socketPath, 0o600)
}

/** A regular exit waits for running queries, forever if one hangs. Killing loses nothing that was acknowledged. */
async function end(
	server: Server,
	engine: Engine,
	drain: (timeoutMs: number) => Promise<boolean>,
): Promise<void> {
	server.close()
	server.closeIdleConnections()
	if (!(await drain(drainMs))) process.kill(process.pid, 'SIGKILL')
	engine.close()
	process.exit(0)
}

let endInOrder = async (): Promise<void> => process.exit(0)
let isEnding = false
function endOnce(): void {
	if (isEnding) return
	isEnding = true
	void endInOrder()
}

// Only its own user may access what this process creates (sockets, data files).
process.umask(0o077)
// Terminals and some supervisors signal the whole process group, but the engine ends last: the parent closes its standard input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
const input = createInterface({ input: process.stdin })
input.on('close', endOnce)
input.once('line', (line) => {
	serve(JSON.parse(line) as ChildStart).catch((error: unknown) => {
		tell({ event: 'failed', message: error instanceof Error ? error.message : String(error) })
		process.exit(1)
	})
})

/** Tracks running calls and their deadlines, for the watchdog and for an orderly shutdown. */
interface Operations {
	/** Runs a call, which counts as hung when it lasts longer than `limitMs`. */
	track<Result>(limitMs: number, call: () => Promise<Result>): Promise<Result>
	/** True when a call has passed its limit: the engine will not recover by itself. */
	isStuck(): boolean
	/** Whether calls are running, or have run since the engine last answered a probe. */
	isUnproved(): boolean
	prove(): void
	/** Resolves when no call runs, with true, or after `timeoutMs`, with false. */
	drain(timeoutMs: number): Promise<boolean>
}

/** @param nowMs a monotonic clock */
function createOperations(nowMs: () => number): Operations {
	const deadlines = new Set<{ atMs: number }>()
	let onEmpty: (() => void) | undefined
	let isUnproved = true

	return {
		async track(limitMs, call) {
			const deadline = { atMs: nowMs() + limitMs }
			deadlines.add(deadline)
			isUnproved = true
			try {
				return await call()
			} finally {
				deadlines.delete(deadline)
				if (deadlines.size === 0) onEmpty?.()
			}
		},
		isUnproved: () => isUnproved,
		prove: () => {
			isUnproved = deadlines.size > 0
		},
		isStuck: () => [...deadlines].some((deadline) => deadline.atMs < nowMs()),
		async drain(timeoutMs) {
			if (deadlines.size === 0) return true
			await new Promise<void>((resolve) => {
				onEmpty = resolve
				setTimeout(resolve, timeoutMs).unref()
			})
			return deadlines.size === 0
		},
	}
}

/** A call beyond these limits counts as hung. The engine itself ends reads long before. */
const limitsMs = { read: 10 * 60_000, write: 60 * 60_000, insert: 5 * 60_000 }

interface FacadeOptions {
	engine: Engine
	operations: Operations
	/** The key of this start, sent by the client as the password of Basic authorization. */
	key: string
}

/** Implements the part of ClickHouse's HTTP protocol that its official client uses. Does not listen yet. */
function createFacade(options: FacadeOptions): Server {
	const expected = Buffer.from(basicAuthorization(options.key))
	const bodies = new ReusableMemory()
	const run = randomUUID()
	// Parameters travel in the URL; above 4 KiB the client moves them to the body, but only for queries.
	return http.createServer({ maxHeaderSize: 1024 * 1024, keepAliveTimeout: 60_000 }, (request, response) => {
		if (!isExpected(request.headers.authorization, expected)) {
			request.resume()
			fail(response, 403, 516, 'The key is wrong or missing.', 'AUTHENTICATION_FAILED')
			return
		}
		response.setHeader(engineRunHeader, run)
		answer({ ...options, bodies }, request, response).catch((error: unknown) => failWith(response, error))
	})
}

function isExpected(given: string | undefined, expected: Buffer): boolean {
	const buffer = Buffer.from(given ?? '')
	return buffer.length === expected.length && timingSafeEqual(buffer, expected)
}

/** @param bodies memory for the bodies of inserts */
async function answer(
	options: FacadeOptions & { bodies: ReusableMemory },
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const url = new URL(request.url ?? '/', 'http://engine')
	if (url.pathname === '/ping') return void response.end('Ok.\n')
	if (url.pathname === '/alive') return answerAlive(options, response)
	const call = await readEngineCall(request, url.searchParams, options.bodies)
	const outcome = await options.operations.track(limitsMs[call.kind], () =>
		execute(options, call, whenLeft(response)),
	)
	response.setHeader('X-ClickHouse-Query-Id', (url.searchParams.get('query_id') ?? '').replace(/[^\w-]/g, ''))
	response.setHeader('X-ClickHouse-Summary', JSON.stringify(outcome.summary))
	response.setHeader('Content-Length', outcome.bytes.length)
	response.end(outcome.bytes)
}

async function answerAlive({ engine, operations }: FacadeOptions, response: ServerResponse): Promise<void> {
	if (operations.isStuck()) return fail(response, 500, 159, 'A call is past its limit.', 'TIMEOUT_EXCEEDED')
	// If no call ran since the last probe, its result still holds.
	if (operations.isUnproved()) {
		await engine.probe()
		operations.prove()
	}
	response.end('Ok.\n')
}

interface Outcome {
	bytes: Uint8Array
	summary: Record<string, string>
}

async function execute(
	{ engine, bodies }: { engine: Engine; bodies: ReusableMemory },
	call: EngineCall,
	left: AbortSignal,
): Promise<Outcome> {
	if (call.kind === 'insert') return insert(engine, call, bodies)
	const result = await (call.kind === 'read' ? read(engine, call, left) : write(engine, call))
	return {
		bytes: result.bytes,
		summary: { read_rows: String(result.rowsRead), read_bytes: String(result.bytesRead) },
	}
}

async function insert(
	engine: Engine,
	{ sql, format, body }: Extract<EngineCall, { kind: 'insert' }>,
	bodies: ReusableMemory,
): Promise<Outcome> {
	try {
		const written = body.length === 0 ? 0 : await engine.insert(sql, format, body)
		return { bytes: new Uint8Array(), summary: { written_rows: String(written) } }
	} finally {
		bodies.release(body)
	}
}

function write(engine: Engine, call: Extract<EngineCall, { kind: 'write' }>): Promise<QueryOutcome> {
	return engine.write(call.sql, call.format, call.parameters)
}

/** A read whose client has left is killed: it would hold one of the few connections until its time limit. */
async function read(
	engine: Engine,
	call: Extract<EngineCall, { kind: 'read' }>,
	left: AbortSignal,
): Promise<QueryOutcome> {
	const kill = () => void engine.kill(call.tag).catch(() => undefined)
	left.addEventListener('abort', kill, { once: true })
	try {
		return await engine.read(call.sql, call.format, call.parameters, left)
	} finally {
		left.removeEventListener('abort', kill)
	}
}

/** Fires when the connection closes before the response is complete. */
function whenLeft(response: ServerResponse): AbortSignal {
	const controller = new AbortController()
	response.once('close', () => {
		if (!response.writableFinished) controller.abort()
	})
	return controller.signal
}

function failWith(response: ServerResponse, error: unknown): void {
	const text = error instanceof Error ? error.message : String(error)
	const code = Number(/\bCode: (\d+)\./.exec(text)?.[1] ?? 1001)
	if (error instanceof StatementRefused) fail(response, 400, 62, text, 'SYNTAX_ERROR')
	else if (text.startsWith('Code: ')) failText(response, code === 60 ? 404 : 500, code, text)
	else fail(response, 500, code, text, 'STD_EXCEPTION')
}

function fail(response: ServerResponse, status: number, code: number, message: string, name: string): void {
	failText(response, status, code, `Code: ${code}. DB::Exception: ${message} (${name})`)
}

function failText(response: ServerResponse, status: number, code: number, text: string): void {
	if (response.headersSent) return void response.destroy()
	response.writeHead(status, {
		'Content-Type': 'text/plain; charset=utf-8',
		'X-ClickHouse-Exception-Code': String(code),
	})
	response.end(`${text}\n`)
}
