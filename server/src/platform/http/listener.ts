import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Problem, toProblemDocument } from '../errors.ts'
import { type Http2Sessions, type Lane, openLane } from '../http1/open-lane.ts'
import { newId } from '../ids.ts'
import { http } from '../node-http.ts'

export interface Listener {
	port: number
	/** Stops accepting, lets running requests finish within `graceMs`, then aborts them. */
	close(graceMs: number): Promise<void>
}

const maxHeadMs = 20_000
const maxHeaderBytes = 16 * 1024
/** Longer than the 60 s of many proxies, so that usually they end an idle connection. */
const keptMs = 65_000

interface ListenOptions {
	/** The setting that chooses the port, for the error if it is taken. */
	setting?: string
	/** Whether other processes may open the same port. */
	reusePort?: boolean
	/** Which targets may use the fast lane; without it, none may. */
	usesFastLane?(target: string): boolean
	/** Takes connections of HTTP/2, if there is a fast lane. */
	http2?: Http2Sessions
	/** The path of the public URL. */
	basePath?: string
	keepAliveMs?: number
}

/** Listens, with limits against slow clients. If the port is taken, it throws an error that says so. */
export async function listen(
	host: string,
	port: number,
	handle: (request: IncomingMessage, response: ServerResponse) => void,
	{ setting = 'SIGNALBOX_PORT', reusePort = false, usesFastLane, http2, ...options }: ListenOptions = {},
): Promise<Listener> {
	const { basePath = '', keepAliveMs = keptMs } = options
	const server = http.createServer(
		{
			headersTimeout: maxHeadMs,
			requestTimeout: 300_000,
			keepAliveTimeout: keepAliveMs,
			connectionsCheckingInterval: 5_000,
			maxHeaderSize: maxHeaderBytes,
			noDelay: true,
		},
		(request, response) => {
			readBodyBeforeClosing(request, response)
			handle(request, response)
		},
	)
	server.on('clientError', (error, socket) => answerClientError(error, socket, basePath))
	server.on('timeout', endUnlessRead)
	const lane = usesFastLane
		? openLane(server, { takes: usesFastLane, handle, http2, keepAliveMs, patienceMs: maxHeadMs })
		: null
	await new Promise<void>((resolve, reject) => {
		// It stays: a connection that cannot be accepted later is such an error too, and must not end the program.
		server.on('error', (error: NodeJS.ErrnoException) => reject(readable(error, host, port, setting)))
		server.listen({ host, port, reusePort }, () => resolve())
	})
	return {
		port: (server.address() as AddressInfo).port,
		close: (graceMs) => closeWithin(server, { lane, http2 }, graceMs),
	}
}

/** Ends an idle connection, unless a request has arrived that a busy process has not read yet. */
function endUnlessRead(socket: Socket): void {
	const { bytesRead } = socket
	setImmediate(() => socket.bytesRead === bytesRead && socket.destroy())
}

/** How long the rest of a refused body is read. */
const maxDiscardMs = 30_000
/** The response to the latest request of each connection, and the one that must be sent before it. */
const responses = new WeakMap<Duplex, ServerResponse>()
const responsesBefore = new WeakMap<ServerResponse, ServerResponse>()

/**
 * After a response with `connection: close`, node:http closes at once. While a body is still arriving, that causes a TCP reset, and
 * many clients lose the response, for example that their body is too large. So the rest of the body is read first. The fast lane
 * does the same.
 */
function readBodyBeforeClosing(request: IncomingMessage, response: ServerResponse): void {
	const { socket } = request
	const before = responses.get(socket)
	responses.set(socket, response)
	if (before && !before.closed) {
		responsesBefore.set(response, before)
		before.once('close', () => responsesBefore.delete(response))
	}
	if (before) return
	const destroySoon = socket.destroySoon.bind(socket)
	socket.destroySoon = () => {
		const last = responses.get(socket)?.req
		if (!last || last.complete || last.destroyed || socket.destroyed) return void destroySoon()
		socket.end()
		const timer = setTimeout(() => socket.destroy(), maxDiscardMs).unref()
		last.once('close', () => {
			clearTimeout(timer)
			socket.destroy()
		})
		last.resume()
	}
}

/** Explains how to resolve a failure to listen on a port; `setting` names the port's setting. */
export function readable(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
	if (error.code === 'EADDRINUSE')
		return new Error(
			`Port ${port} on ${host} is taken by another program. Stop it, or choose another with ${setting}.`,
		)
	if (error.code === 'EACCES')
		return new Error(`Port ${port} on ${host} needs more rights. Choose one above 1023 with ${setting}.`)
	if (error.code === 'EADDRNOTAVAIL' || error.syscall === 'getaddrinfo')
		return new Error(
			`${host} is not an address of this machine. Choose one that is with SIGNALBOX_HOST; 0.0.0.0 is all of them.`,
		)
	return error
}

/** Connections whose further input is not answered. */
const refused = new WeakSet<Duplex>()

/**
 * Input that node:http cannot parse never reaches the ingress; it still gets a well-formed response. While an earlier request is
 * being answered, that response waits: a client would read it as the earlier answer, or as a part of it.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, basePath: string): void {
	if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
	if (refused.has(socket)) return
	refused.add(socket)
	const last = responses.get(socket)
	if (!last || last.closed) return void socket.end(refusalOf(error, basePath))
	const refuse = () => {
		// What follows a request with `connection: close` is ignored.
		if (!socket.writable) return
		socket.end(refusalOf(error, basePath))
		setTimeout(() => socket.destroy(), maxDiscardMs).unref()
	}
	const isOwnBody = !last.req.complete
	const awaited = isOwnBody ? responsesBefore.get(last) : last
	// As everywhere, a client that stops sending while it is answered has disconnected.
	if (awaited && error.code === 'HPE_INVALID_EOF_STATE') return void socket.destroy()
	const inTurn = () => {
		// With its own body at fault, it may have been answered in part.
		if (isOwnBody && last.headersSent) socket.destroy()
		else refuse()
	}
	if (awaited) awaited.once('close', inTurn)
	else inTurn()
}

function refusalOf({ code }: NodeJS.ErrnoException, basePath: string): string {
	if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(basePath)
	const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request'
	return `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
}

function headersTooLarge(basePath: string): string {
	const requestId = newId()
	const detail = `The first line and the headers together may have ${maxHeaderBytes} bytes.`
	const problem = new Problem('headers_too_large', detail)
	const body = JSON.stringify(toProblemDocument(problem, requestId, basePath))
	const head = [
		'HTTP/1.1 431 Request Header Fields Too Large',
		`x-request-id: ${requestId}`,
		'x-content-type-options: nosniff',
		'content-type: application/problem+json',
		`content-length: ${Buffer.byteLength(body)}`,
		'connection: close',
	]
	return `${head.join('\r\n')}\r\n\r\n${body}`
}

async function closeWithin(
	server: Server,
	{ lane, http2 }: { lane: Lane | null; http2: Http2Sessions | undefined },
	graceMs: number,
): Promise<void> {
	const closed = new Promise<void>((resolve) => server.close(() => resolve()))
	const ended = http2?.end(graceMs)
	lane?.closeIdle()
	server.closeIdleConnections()
	const idle = setInterval(() => server.closeIdleConnections(), 100)
	const cut = setTimeout(() => {
		lane?.closeAll()
		server.closeAllConnections()
	}, graceMs)
	await closed
	clearInterval(idle)
	clearTimeout(cut)
	ended?.()
}
