import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Responds to one request; the message is `{}` if there is no body. */
export type Handle<Message> = (message: Message, response: ServerResponse, request: IncomingMessage) => void

/** A server whose behaviour the test defines. */
export async function startHandler<Message>(
	handle: Handle<Message>,
): Promise<{ url: string; close(): void }> {
	const listener = createServer((request, response) => {
		let text = ''
		request.on('data', (chunk: Buffer) => {
			text += chunk
		})
		request.on('end', () => handle(text ? JSON.parse(text) : {}, response, request))
	})
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	return {
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
		close: () => {
			listener.closeAllConnections()
			listener.close()
		},
	}
}
