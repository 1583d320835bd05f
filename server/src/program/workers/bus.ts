import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Dispatcher } from 'undici'
import { Problem } from '../../platform/errors.ts'
import { setPeer } from '../../platform/http/client-address.ts'
import { listenOnSocket } from '../../platform/local-socket.ts'
import type { Programs } from '../../servers/programs/index.ts'

/** The socket on which workers reach the primary, and the key of this start. */
export interface BusAddress {
	socketPath: string
	key: string
}

interface Bus {
	address: BusAddress
	close(): Promise<void>
}

interface BusOptions {
	dataDir: string
	/** Handles a request that a worker forwards. */
	handle(request: IncomingMessage, response: ServerResponse): void
	/** Performs an exchange between a worker and a hosted program. */
	exchange: Programs['exchange']
}

/** Opens the unix socket (mode 0600) on which the primary accepts requests that workers cannot serve themselves. */
export async function openBus({ dataDir, handle, exchange }: BusOptions): Promise<Bus> {
	const key = randomBytes(32).toString('hex')
	const { path, close } = await listenOnSocket(dataDir, 'workers.sock', (request, response) => {
		const { [busHeaders.peer]: peer, [busHeaders.program]: program } = request.headers
		if (!hasKey(request, key)) return void response.writeHead(403).end()
		if (typeof program === 'string') return serveProgram(exchange, program, request, response)
		withoutBusHeaders(request)
		setPeer(request, String(peer))
		handle(request, response)
	})
	return { address: { socketPath: path, key }, close }
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
	const given = Buffer.from(String(headers[busHeaders.key] ?? ''))
	const expected = Buffer.from(key)
	return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Performs one exchange between a worker and a program that runs here. */
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

/** Sends the program's response to the worker that asked. */
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

/** Headers that workers add to a request on the bus, which nobody else can reach. */
export const busHeaders = {
	/** The key of this start. */
	key: 'x-signalbox-bus-key',
	/** Peer address of a forwarded request. */
	peer: 'x-signalbox-bus-peer',
	/** Id of the server whose program the exchange is with. */
	program: 'x-signalbox-bus-program',
	/** Idle timeout of such an exchange; 0: none. */
	idleMs: 'x-signalbox-bus-idle-ms',
	/** Replaces a program's response: the code of a `Problem` or of another error, whose message is the body. */
	problem: 'x-signalbox-bus-problem',
	failure: 'x-signalbox-bus-failure',
} as const

const own: ReadonlySet<string> = new Set(Object.values(busHeaders))
/** Hop-by-hop headers (RFC 9110 §7.6.1). */
const ofOneHop: ReadonlySet<string> = new Set([
	'connection',
	'keep-alive',
	'proxy-connection',
	'te',
	'transfer-encoding',
	'upgrade',
])

/** Alternating names and values, without the headers of the bus and the hop-by-hop headers. */
export function passedHeaders(rawHeaders: readonly string[]): string[] {
	const passed: string[] = []
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at] as string
		const lower = name.toLowerCase()
		if (!own.has(lower) && !ofOneHop.has(lower)) passed.push(name, rawHeaders[at + 1] as string)
	}
	return passed
}

/** Restores the request as its sender made it. */
function withoutBusHeaders(request: IncomingMessage): void {
	for (const name of own) delete request.headers[name]
	request.rawHeaders = request.rawHeaders.flatMap((text, at, all) =>
		own.has((all[at - (at % 2)] as string).toLowerCase()) ? [] : [text],
	)
}
