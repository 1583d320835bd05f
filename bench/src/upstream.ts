import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOf, type Message } from './fixed-answers.ts'
import { modelAnswer, streamAnswer } from './model-answers.ts'

/** `legacy`: it supports only the revisions with handshake and session. */
const era = process.argv[2] === 'legacy' ? 'legacy' : 'modern'
/** `waits`: a call of its tool is never answered. */
const waits = process.argv[2] === 'waits'

/**
 * The far end of every measurement, as a process of its own: an MCP server of the 2026-07-28 revision with one tool, and a model
 * provider. Both answer at once with fixed bytes, so that the path is measured and not the far end.
 */
const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const body = Buffer.concat(chunks)
	if (request.url === '/mcp') answerMcp(response, body.toString())
	else if (!streamAnswer(response, body)) send(response, 200, modelAnswer)
}

function answerMcp(response: ServerResponse, text: string): void {
	const message = text === '' ? {} : (JSON.parse(text) as Message)
	if (waits && message.method === 'tools/call') return
	const answer = answerOf(message, era)
	if (message.method === 'initialize') response.setHeader('mcp-session-id', 'bench')
	if (answer) send(response, answer.known || era === 'legacy' ? 200 : 404, answer.text)
	else response.writeHead(message.method ? 202 : 405).end()
}

function send(response: ServerResponse, status: number, text: string): void {
	response.writeHead(status, {
		'content-type': 'application/json',
		'content-length': Buffer.byteLength(text),
	})
	response.end(text)
}
