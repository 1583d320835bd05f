import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/**
 * The minimum cost of any proxy in Node: read the body, send it on over a kept connection, stream the answer back. No keys, no rules,
 * no record. It is the baseline for our figures.
 */
const pool = new Pool(process.argv[2] as string, { connections: 512 })

const server = createServer((request, response) => void forward(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
	pool.dispatch(
		{ method: 'POST', path: request.url ?? '/', headers, body: Buffer.concat(chunks) },
		{
			onRequestStart() {},
			onResponseStart(_controller, status, answerHeaders) {
				response.writeHead(status, answerHeaders as Record<string, string>)
			},
			onResponseData(_controller, chunk) {
				response.write(chunk)
			},
			onResponseEnd() {
				response.end()
			},
			onResponseError(_controller, error) {
				response.destroy(error)
			},
		},
	)
}
