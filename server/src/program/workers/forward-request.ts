import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../../platform/errors.ts'
import { peerOf, refuseWithProblem } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { http } from '../../platform/node-http.ts'
import type { BusAddress } from './bus.ts'
import { busHeaders, passedHeaders } from './bus-headers.ts'

/** Sends requests as they came to the primary, and its answers back as they come. */
export function createForwarder({ socketPath, key }: BusAddress) {
	const options = { keepAlive: true, socketPath }
	const agent = new http.Agent(options)
	return (request: IncomingMessage, response: ServerResponse): void => {
		const headers = [
			...passedHeaders(request.rawHeaders),
			...[busHeaders.key, key, busHeaders.peer, peerOf(request)],
			...(hasBody(request) && !request.headers['content-length'] ? ['transfer-encoding', 'chunked'] : []),
		]
		const { method, url: path } = request
		const asked = http.request({ agent, socketPath, method, path, headers })
		asked.once('response', (answer) => passOn(answer, response))
		asked.once('error', () => refuse(request, response))
		response.once('close', () => asked.destroy())
		send(request, asked)
	}
}

function hasBody({ headers }: IncomingMessage): boolean {
	return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function send(request: IncomingMessage, asked: ClientRequest): void {
	if (hasBody(request)) request.pipe(asked)
	else asked.end()
}

function passOn(answer: IncomingMessage, response: ServerResponse): void {
	response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedHeaders(answer.rawHeaders))
	// The beginning of a stream of events is news by itself.
	response.flushHeaders()
	answer.pipe(response)
	answer.once('error', () => response.destroy())
}

/** The primary ends, and this process with it. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
	if (response.headersSent || response.destroyed) return void response.destroy()
	const problem = new Problem('shutting_down', undefined, { retryAfterS: 1 })
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	refuseWithProblem(request, response, problem, newId())
	request.resume()
}
