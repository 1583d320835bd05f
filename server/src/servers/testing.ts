import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import {
	type AddressInfo,
	connect as connectTcp,
	createServer as createTcpServer,
	type Socket,
} from 'node:net'
import { dirname, join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'

export interface TestMcpServer {
	/** URL of its MCP endpoint, on loopback. */
	url: string
	close(): Promise<void>
}

/** The reference server `server-everything` in another process: legacy era (2024-11-05 … 2025-11-25) with sessions. */
export function startEverythingServer(): Promise<TestMcpServer> {
	return startEverything('streamableHttp', '/mcp')
}

/** The same server over the 2024 transport: HTTP with server-sent events. */
export function startEverythingSseServer(): Promise<TestMcpServer> {
	return startEverything('sse', '/sse')
}

async function startEverything(transport: string, path: string): Promise<TestMcpServer> {
	const manifest = createRequire(import.meta.url).resolve(
		'@modelcontextprotocol/server-everything/package.json',
	)
	const port = await freePort()
	const child = spawn(process.execPath, [join(dirname(manifest), 'dist/index.js'), transport], {
		env: { PORT: String(port) },
		stdio: ['ignore', 'ignore', 'pipe'],
	})
	await untilListening(child)
	return { url: `http://127.0.0.1:${port}${path}`, close: () => end(child) }
}

/** On some systems the program prints its port before it listens, so this line is all there is to wait for. */
function untilListening(child: ChildProcess): Promise<void> {
	return new Promise((done, fail) => {
		child.stderr?.on('data', (text: Buffer) => /port \d+/i.test(text.toString()) && done())
		child.once('exit', (code) => fail(new Error(`server-everything ended at its start (exit code ${code}).`)))
	})
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const ended = new Promise((done) => child.once('exit', done))
	child.kill('SIGKILL')
	await ended
}

async function freePort(): Promise<number> {
	const probe = createTcpServer()
	await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
	const { port } = probe.address() as AddressInfo
	await new Promise((done) => probe.close(done))
	return port
}

/** A URL on this machine at which nothing listens. */
export async function closedAddress(): Promise<string> {
	return `http://127.0.0.1:${await freePort()}/mcp`
}

export interface ModernServerOptions {
	/** Adds tools to each instance, or with `bare` replaces the default ones. */
	configure?: (server: McpServer) => void
	bare?: boolean
	/** `reject` (the default) speaks only 2026-07-28; `stateless` also the legacy era. */
	legacy?: 'reject' | 'stateless'
	port?: number
}

export interface ModernTestServer extends TestMcpServer {
	/** The headers of every received request, oldest first. */
	requests: IncomingHttpHeaders[]
}

/** A server of the official SDK v2 in this process that speaks 2026-07-28, with the tools `echo`, `add`, `fail` and `slow`. */
export async function startModernServer(options: ModernServerOptions = {}): Promise<ModernTestServer> {
	const requests: IncomingHttpHeaders[] = []
	const handler = createMcpHandler(() => buildServer(options), { legacy: options.legacy ?? 'reject' })
	const handle = toNodeHandler(handler)
	const listener = createServer((request, response) => {
		requests.push(request.headers)
		handle(request as never, response).catch(() => response.destroy())
	})
	await new Promise<void>((done) => listener.listen(options.port ?? 0, '127.0.0.1', done))
	const close = async () => {
		listener.closeAllConnections()
		await new Promise((done) => listener.close(done))
	}
	return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, requests, close }
}

function buildServer({ configure, bare }: ModernServerOptions): McpServer {
	const server = new McpServer({ name: 'modern-test', version: '1.0.0' }, { capabilities: { tools: {} } })
	if (!bare) addTools(server)
	configure?.(server)
	return server
}

function addTools(server: McpServer): void {
	const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
	const message = objectSchema<{ message: string }>({ message: { type: 'string' } })
	const numbers = objectSchema<{ a: number; b: number }>({ a: { type: 'number' }, b: { type: 'number' } })
	const sum = objectSchema<{ sum: number }>({ sum: { type: 'number' } })
	const pause = objectSchema<{ delay_ms: number }>({ delay_ms: { type: 'integer' } })
	const nothing = objectSchema<Record<string, never>>({})
	server.registerTool('echo', { description: 'Says it again', inputSchema: message }, async (input) =>
		text(input.message),
	)
	server.registerTool(
		'add',
		{
			title: 'Add',
			description: 'Adds two numbers',
			inputSchema: numbers,
			outputSchema: sum,
			annotations: { readOnlyHint: true },
		},
		async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
	)
	server.registerTool('fail', { description: 'Always fails', inputSchema: nothing }, async () => ({
		...text('It failed.'),
		isError: true,
	}))
	server.registerTool('slow', { description: 'Answers late', inputSchema: pause }, async ({ delay_ms }) => {
		await new Promise((done) => setTimeout(done, delay_ms))
		return text('late')
	})
}

/** A JSON Schema object whose properties are all required. */
export function objectSchema<T>(properties: Record<string, { type: string }>) {
	return fromJsonSchema<T>({ type: 'object', properties, required: Object.keys(properties) })
}

/** The URL of a proxy to a server with a latency of `delayMs` in each direction. */
export async function startFarAway(url: string, delayMs: number): Promise<TestMcpServer> {
	const { hostname, port, pathname } = new URL(url)
	const sockets = new Set<Socket>()
	const carry = (from: Socket, to: Socket) => {
		const later = (act: () => void) => setTimeout(() => to.destroyed || act(), delayMs)
		from.on('data', (bytes) => later(() => to.write(bytes)))
		from.on('end', () => later(() => to.end()))
		from.on('error', () => to.destroy())
		from.on('close', () => later(() => to.destroy()))
		sockets.add(from)
	}
	const listener = createTcpServer((near) => {
		const far = connectTcp(Number(port), hostname)
		carry(near, far)
		carry(far, near)
	})
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const close = async () => {
		for (const socket of sockets) socket.destroy()
		await new Promise((done) => listener.close(done))
	}
	return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}${pathname}`, close }
}
