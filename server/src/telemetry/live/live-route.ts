import type { IncomingMessage, ServerResponse } from 'node:http'
import { telemetryLive } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { authorize, principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import type { LiveTail } from './live-tail.ts'

interface LiveDependencies {
	live: LiveTail
	stillValid(principal: Principal): Problem | null
	heartbeatMs?: number
	/** Maximum number of bytes that wait for a slow viewer. */
	bufferBytes?: number
}

const maxViewers = 100

/** `GET /v1/telemetry/live`: server-sent events `span` (a Span) and `gap` (`{"missed":n}`), as things are recorded. */
export function liveRoute(dependencies: LiveDependencies): Route {
	return {
		...telemetryLive,
		family: 'api',
		handle: (request, response, context) => showLive(dependencies, request, response, context),
	}
}

function showLive(
	{ live, stillValid, heartbeatMs = 15_000, bufferBytes = 1024 * 1024 }: LiveDependencies,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
): void {
	const principal = principalIn(context)
	if (context.search !== '') throw new Problem('invalid_request', 'The live tail takes no query parameters.')
	if (live.viewers(principal.workspaceId) >= maxViewers)
		throw new Problem('too_many_requests', 'Too many viewers watch this workspace.', { retryAfterS: 30 })
	response.writeHead(200, {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-store',
		'x-accel-buffering': 'no',
	})
	response.write(': signalbox\n\n')
	if (request.method === 'HEAD') return void response.end()
	const leave = live.watch(principal.workspaceId, newViewer(response, bufferBytes))
	const heartbeat = setInterval(() => response.write(': \n\n'), heartbeatMs)
	response.once('close', () => {
		clearInterval(heartbeat)
		leave()
	})
	context.guard(
		() => stillValid(principal) ?? authorize(telemetryLive.access, principal),
		() => response.destroy(),
	)
}

/** Drops what a slow viewer does not read, and reports how much when it reads again. */
function newViewer(response: ServerResponse, bufferBytes: number) {
	let missed = 0
	const reportMissed = () => {
		if (missed > 0) response.write(`event: gap\ndata: {"missed":${missed}}\n\n`)
		missed = 0
	}
	response.on('drain', reportMissed)
	return {
		show: (event: string) => {
			if (response.writableLength + event.length > bufferBytes) missed++
			else response.write(event)
		},
		miss: (count: number) => {
			missed += count
			if (!response.writableNeedDrain) reportMissed()
		},
	}
}
