import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeaderShim {
	url: string
	close(): Promise<void>
}

/**
 * Starts a loopback proxy that adds `Authorization` to each request and forwards everything else unchanged, including Host and Origin.
 * The gateway requires a credential, and the official suite has no option for one.
 */
export async function startHeaderShim(target: string, key: string): Promise<HeaderShim> {
	const { hostname, port, pathname } = new URL(target)
	const relay = (incoming: IncomingMessage, outgoing: ServerResponse) => {
		const upstream = forward(
			{
				hostname,
				port,
				path: pathname,
				method: incoming.method,
				headers: { ...incoming.headers, authorization: `Bearer ${key}` },
			},
			(answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
				// Send the headers of a stream before its first event.
				outgoing.flushHeaders()
				answer.pipe(outgoing)
				answer.once('error', () => outgoing.destroy())
			},
		)
		upstream.once('error', (error) => {
			if (outgoing.headersSent) return outgoing.destroy()
			outgoing
				.writeHead(502, { 'content-type': 'text/plain' })
				.end(`The proxy got no response: ${error.message}`)
		})
		outgoing.once('close', () => upstream.destroy())
		incoming.pipe(upstream)
	}
	const listener = createServer(relay)
	// The gateway's responses state how long it keeps a connection. Closing one earlier here could fail a request that was just sent.
	listener.keepAliveTimeout = 0
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const close = async () => {
		listener.closeAllConnections()
		await new Promise((done) => listener.close(done))
	}
	return { url: `http://localhost:${(listener.address() as AddressInfo).port}/mcp`, close }
}
