import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Dispatcher } from 'undici'
import { Problem } from '../../platform/errors.ts'
import { comeFrom } from '../../platform/http/index.ts'
import { listenOnSocket } from '../../platform/local-socket.ts'
import type { Programs } from '../../servers/programs/index.ts'
import { busHeaders, withoutBusHeaders } from './bus-headers.ts'

/** Where workers reach the primary, and the key of this start. */
export interface BusAddress {
	socketPath: string
	key: string
}

export interface Bus {
	address: BusAddress
	close(): Promise<void>
}

interface BusOptions {
	dataDir: string
	/** Takes a request that a worker forwards. */
	handle(request: IncomingMessage, response: ServerResponse): void
	/** Carries an exchange of a worker with a hosted program. */
	exchange: Programs['exchange']
}

/** Opens the unix socket (0600) on which the primary takes what workers cannot answer themselves. */
export async function openBus({ dataDir, handle, exchange }: BusOptions): Promise<Bus> {
	const key = randomBytes(32).toString('hex')
	const { path, close } = await listenOnSocket(dataDir, 'workers.sock', (request, response) => {
		const { [busHeaders.peer]: peer, [busHeaders.program]: program } = request.headers
		if (!hasKey(request, key)) return void response.writeHead(403).end()
		if (typeof program === 'string') return serveProgram(exchange, program, request, response)
		withoutBusHeaders(request)
		comeFrom(request, String(peer))
		handle(request, response)
	})
	return { address: { socketPath: path, key }, close }
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
	const given = Buffer.from(String(headers[busHeaders.key] ?? ''))
	const expected = Buffer.from(key)
	return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Carries one exchange of a worker with a program that runs here. */
function serveProgram(
	exchange: Programs['exchange'],
	serverId: string,
	request: IncomingMessage,
	response: ServerResponse,
): void {
	const { [busHeaders.idleMs]: idleMs, ...rest } = request.headers
	const headers = rest as Record<string, string>
	text(request).then(
		(body) => {
			const asked = { method: request.method ?? 'GET', headers, body, idleMs: Number(idleMs), isProbe: false }
			exchange(serverId, asked, answerTo(response))
		},
		() => response.destroy(),
	)
}

/** Writes what the program says to the worker that asked. */
function answerTo(response: ServerResponse): Dispatcher.DispatchHandler {
	return {
		onRequestStart: (controller) => {
			response.once('close', () => {
				if (!response.writableFinished) controller.abort(new Error('The caller left.'))
			})
			response.on('drain', () => controller.resume())
		},
		onResponseStart: (_controller, status, headers) => {
			response.writeHead(status, headers as OutgoingHttpHeaders)
			response.flushHeaders()
		},
		onResponseData: (controller, chunk) => {
			if (!response.write(chunk)) controller.pause()
		},
		onResponseEnd: () => void response.end(),
		onResponseError: (_controller, error) => fail(response, error),
	}
}

function fail(response: ServerResponse, error: Error): void {
	if (response.headersSent || response.destroyed) return void response.destroy()
	const { code } = error as { code?: string }
	const kind = error instanceof Problem ? busHeaders.problem : busHeaders.failure
	response.writeHead(502, { [kind]: code ?? '' }).end(error.message)
}
