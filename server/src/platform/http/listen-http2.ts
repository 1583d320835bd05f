import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2Server, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type Listener, readable } from './listener.ts'

const mebibyte = 1024 * 1024
const streamIdleMs = 60_000

/**
 * Listens for HTTP/2 without TLS (gRPC). Requests reach `handle` in the form of HTTP/1.1, with the authority as Host, so that the
 * same ingress serves them. Node's HTTP/2 module takes 10 MB, so it is loaded with the first connection.
 */
export async function listenHttp2(
	{
		host,
		port,
		setting,
		reusePort = false,
	}: { host: string; port: number; setting: string; reusePort?: boolean },
	handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listener> {
	const sessions = new Set<ServerHttp2Session>()
	let http2: Http2Server | null = null
	const server = createServer({ noDelay: true }, (socket) => {
		http2 ??= createHttp2(sessions, handle)
		http2.emit('connection', socket)
	})
	await new Promise<void>((resolve, reject) => {
		// It stays, see `listen`.
		server.on('error', (error) => reject(readable(error, host, port, setting)))
		server.listen({ host, port, reusePort }, () => resolve())
	})
	return {
		port: (server.address() as AddressInfo).port,
		close: (graceMs) => closeHttp2Within(server, sessions, graceMs),
	}
}

function createHttp2(
	sessions: Set<ServerHttp2Session>,
	handle: (request: IncomingMessage, response: ServerResponse) => void,
): Http2Server {
	const http2 = createRequire(import.meta.url)('node:http2') as typeof import('node:http2')
	const server = http2.createServer({
		settings: { maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024, initialWindowSize: mebibyte },
		maxSessionMemory: 32,
	})
	server.on('session', (session) => {
		sessions.add(session)
		session.setLocalWindowSize(8 * mebibyte)
		session.once('close', () => sessions.delete(session))
		// Errors of the peer need no handling; the session closes by itself.
		session.on('error', () => undefined)
	})
	server.on('request', (request, response) => {
		nameHost(request)
		request.stream.setTimeout(streamIdleMs, () => request.stream.close(http2.constants.NGHTTP2_CANCEL))
		handle(request as unknown as IncomingMessage, response as unknown as ServerResponse)
	})
	return server
}

/** The part of a response that sends HTTP/2 trailers. */
export type Trailered = Pick<Http2ServerResponse, 'addTrailers'>

function nameHost(request: Http2ServerRequest): void {
	if (request.headers.host !== undefined || request.authority === undefined) return
	request.headers.host = request.authority
	request.rawHeaders.push('host', request.authority)
}

async function closeHttp2Within(
	server: Server,
	sessions: ReadonlySet<ServerHttp2Session>,
	graceMs: number,
): Promise<void> {
	const closed = new Promise<void>((resolve) => server.close(() => resolve()))
	for (const session of sessions) session.close()
	const cut = setTimeout(() => {
		for (const session of sessions) session.destroy()
	}, graceMs)
	await closed
	clearTimeout(cut)
}
