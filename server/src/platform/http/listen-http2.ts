import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2Server, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Http2Sessions, isHttp2 } from '../http1/open-lane.ts'
import { type Listener, readable } from './listener.ts'

const mebibyte = 1024 * 1024
const streamIdleMs = 60_000

/**
 * Listens for HTTP/2 without TLS (gRPC). Requests reach `handle` in the form of HTTP/1.1, with the authority as Host, so that the
 * same ingress serves them.
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
	const http2 = openHttp2(handle)
	const unread = new Set<Socket>()
	const server = createServer({ noDelay: true }, (socket) => {
		unread.add(socket)
		socket.once('close', () => unread.delete(socket))
		whenRead(socket, (first) => {
			unread.delete(socket)
			if (isHttp2(first)) http2.accept(socket)
			else refuseHttp1(socket)
		})
	})
	await new Promise<void>((resolve, reject) => {
		// It stays, see `listen`.
		server.on('error', (error) => reject(readable(error, host, port, setting)))
		server.listen({ host, port, reusePort }, () => resolve())
	})
	return {
		port: (server.address() as AddressInfo).port,
		close: async (graceMs) => {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()))
			for (const socket of unread) socket.destroy()
			const ended = http2.end(graceMs)
			await closed
			ended()
		},
	}
}

/** How long a client may be silent before it begins, or after it was refused. */
const maxSilentMs = 20_000

/** Calls `then` with the first bytes, which stay in the socket. */
function whenRead(socket: Socket, then: (first: Buffer) => void): void {
	const destroy = () => void socket.destroy()
	socket.on('error', destroy)
	socket.setTimeout(maxSilentMs, destroy)
	socket.once('readable', () => {
		const first: Buffer | null = socket.read()
		if (first === null) return destroy()
		socket.unshift(first)
		socket.setTimeout(0).off('timeout', destroy).off('error', destroy)
		then(first)
	})
}

const ofHttp1 =
	'This port takes OTLP over gRPC. Send OTLP over HTTP to the port of the dashboard or of SIGNALBOX_OTLP_HTTP_PORT (4318), or set OTEL_EXPORTER_OTLP_PROTOCOL=grpc.'

/** Frames of HTTP/2 look like a broken connection to a client of HTTP/1.1. Some exporters show the reason phrase, but no body. */
function refuseHttp1(socket: Socket): void {
	const body = JSON.stringify({ code: 3, message: ofHttp1, details: [] })
	const head = [
		'HTTP/1.1 400 This port takes OTLP over gRPC',
		'content-type: application/json',
		`content-length: ${body.length}`,
		'connection: close',
	]
	socket.on('error', () => socket.destroy())
	socket.setTimeout(maxSilentMs, () => socket.destroy())
	// Unread bytes of the request would reset the connection before the client has read the answer.
	socket.resume().end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Exporters send at least once a minute by default; others reconnect without a loss. */
const sessionIdleMs = 300_000

/** Node's HTTP/2 module takes 10 MB, so it is loaded with the first connection. */
export function openHttp2(
	handle: (request: IncomingMessage, response: ServerResponse) => void,
	idleMs = sessionIdleMs,
): Http2Sessions {
	const sessions = new Set<ServerHttp2Session>()
	let http2: Http2Server | null = null
	return {
		accept: (socket) => {
			http2 ??= createHttp2(sessions, handle, idleMs)
			http2.emit('connection', socket)
		},
		end: (graceMs) => {
			for (const session of sessions) session.close()
			const cut = setTimeout(() => {
				for (const session of sessions) session.destroy()
			}, graceMs)
			return () => clearTimeout(cut)
		},
	}
}

function createHttp2(
	sessions: Set<ServerHttp2Session>,
	handle: (request: IncomingMessage, response: ServerResponse) => void,
	idleMs: number,
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
		session.setTimeout(idleMs, () => session.close())
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
