import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeaderShim {
	url: string
	close(): Promise<void>
}

/**
 * A loopback relay that adds `Authorization` to each request and changes nothing else: bytes, streams, status, even Host
 * and Origin pass as they are. The official suite has no option for a credential, and the gateway takes none without one.
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
				// A stream that has said nothing yet has begun all the same.
				outgoing.flushHeaders()
				answer.pipe(outgoing)
				answer.once('error', () => outgoing.destroy())
			},
		)
		upstream.once('error', (error) => {
			if (outgoing.headersSent) return outgoing.destroy()
			outgoing
				.writeHead(502, { 'content-type': 'text/plain' })
				.end(`The relay was not answered: ${error.message}`)
		})
		outgoing.once('close', () => upstream.destroy())
		incoming.pipe(upstream)
	}
	const listener = createServer(relay)
	// Answers say how long the gateway keeps a connection; one that ended here earlier would fail a request that is on its way.
	listener.keepAliveTimeout = 0
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const close = async () => {
		listener.closeAllConnections()
		await new Promise((done) => listener.close(done))
	}
	return { url: `http://localhost:${(listener.address() as AddressInfo).port}/mcp`, close }
}
