import { startTimer } from '../../platform/clock.ts'
import { answerRequests } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import { readIntroduction } from './introduction.ts'
import { initializeParams, readInitialized } from './legacy-era.ts'
import { type AskPage, listAllTools } from './list-tools.ts'
import { answerMaxBytes, parseAnswer, type RpcAnswer, resultOf, type Upstream } from './rpc.ts'
import { readSseEvents, type SseEvent } from './sse-events.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** Opens the 2024 transport: a GET stream whose first event names where to post; null when there is no such stream. */
export async function converseSse(upstream: Upstream): Promise<Conversation | null> {
	const { safeFetch, url, signal, timeoutMs, totalMs } = upstream
	const headers = { ...Object.fromEntries(upstream.headers), accept: 'text/event-stream' }
	const opening = safeFetch.fetch(url, { headers, signal, timeoutMs: totalMs, maxBytes: answerMaxBytes })
	const stream = await inTime(opening, timeoutMs)
	if (
		!stream.ok ||
		!stream.body ||
		!/^text\/event-stream\b/i.test(stream.headers.get('content-type') ?? '')
	) {
		await stream.body?.cancel()
		return null
	}
	const events = readSseEvents(stream.body)
	const ask = asker(upstream, events, await inTime(readEndpoint(events, url), timeoutMs))
	const timer = startTimer()
	const result = await ask('initialize', initializeParams(upstream))
	const latencyMs = timer()
	const { version, hasTools } = readInitialized(result)
	await ask('notifications/initialized', null)
	const askPage: AskPage = (params) => ask('tools/list', params)
	return {
		transportType: 'sse',
		protocolVersion: version,
		introduction: readIntroduction(result),
		latencyMs,
		listTools: () => (hasTools ? listAllTools(askPage) : Promise.resolve([])),
		end: async () => void (await events.return(undefined)),
	}
}

/** The stream outlives its answers, so each of these has a time of its own. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new DOMException('No event came.', 'TimeoutError')), timeoutMs)
	})
	return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** The address to post to must be of the stream's own origin: the stored headers go there. */
async function readEndpoint(events: AsyncGenerator<SseEvent>, url: string): Promise<string> {
	const first = await events.next()
	const target = !first.done && first.value.event === 'endpoint' ? URL.parse(first.value.data, url) : null
	if (!target) throw new UpstreamFailure('Its event stream does not name an endpoint.')
	if (target.origin !== new URL(url).origin)
		throw new UpstreamFailure('Its event stream names an endpoint of another origin.')
	return target.href
}

type Ask = (method: string, params: object | null) => Promise<Record<string, unknown>>

/** Posts a message and, with parameters, waits for its answer in the stream; requests follow each other. */
function asker(upstream: Upstream, events: AsyncGenerator<SseEvent>, endpoint: string): Ask {
	let lastId = 0
	return async (method, params) => {
		lastId += 1
		const message =
			params === null ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', id: lastId, method, params }
		const send = (body: object) => post(upstream, endpoint, body)
		const { ok, status } = await send(message)
		if (!ok) throw new UpstreamFailure(`It answered ${method} with status ${status}.`)
		if (params === null) return {}
		const answer = await inTime(nextAnswer(events, lastId, send), upstream.timeoutMs)
		return resultOf(method, { status, sessionId: null, answer })
	}
}

async function post(upstream: Upstream, endpoint: string, message: object) {
	const headers = { ...Object.fromEntries(upstream.headers), 'content-type': 'application/json' }
	const { safeFetch, signal, timeoutMs } = upstream
	const body = JSON.stringify(message)
	const accepted = await safeFetch.fetch(endpoint, { method: 'POST', headers, body, signal, timeoutMs })
	await accepted.body?.cancel()
	return accepted
}

/** On the way to it, the server's own requests are answered. */
async function nextAnswer(
	events: AsyncGenerator<SseEvent>,
	id: number,
	send: (answer: object) => Promise<unknown>,
): Promise<RpcAnswer | null> {
	for (let event = await events.next(); !event.done; event = await events.next()) {
		const answer = parseAnswer(event.value.data, id)
		if (answer) return answer
		for (const asked of answerRequests(event.value.data)) await send(asked)
	}
	return null
}
