import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedMessage {
	headers: Record<string, string>
	body: string
	atMs: number
}

export interface Receiver {
	url: string
	messages: ReceivedMessage[]
	/** Sets the answer from now on; default 204. */
	answer(with_: (response: ServerResponse, message: ReceivedMessage) => void): void
	close(): Promise<void>
}

/** A real receiver of webhooks on its own port. */
export async function startReceiver(port = 0): Promise<Receiver> {
	const messages: ReceivedMessage[] = []
	let answer = (response: ServerResponse, _message: ReceivedMessage): void =>
		void response.writeHead(204).end()
	const server = createServer((request, response) => {
		const chunks: Buffer[] = []
		request.on('data', (chunk: Buffer) => chunks.push(chunk))
		request.once('end', () => {
			const body = Buffer.concat(chunks).toString()
			const message = { headers: plain(request.headers), body, atMs: performance.now() }
			messages.push(message)
			answer(response, message)
		})
	})
	await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
		messages,
		answer: (with_) => {
			answer = with_
		},
		close: async () => {
			server.closeAllConnections()
			await new Promise((done) => server.close(done))
		},
	}
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
