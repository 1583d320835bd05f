import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Dispatcher } from 'undici'
import { Problem } from '../../platform/errors.ts'
import type { Programs } from '../../servers/programs/index.ts'
import { busHeaders } from './bus-headers.ts'

/** Carries one exchange of a worker with a program that runs here. */
export function serveProgram(
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
