import type { SafeFetch } from '../../platform/safe-fetch.ts'
import { answerRequests } from './answer-request.ts'
import { isObject, parseMessages } from './parse-object.ts'
import { readSseEvents } from './sse-events.ts'
import { UpstreamFailure } from './upstream-failure.ts'

export const answerMaxBytes = 8 * 1024 * 1024

/** An answer of JSON-RPC: one of the two is there. */
export interface RpcAnswer {
	result?: Record<string, unknown>
	error?: { code: number; message: string; data?: unknown }
}

export interface HttpAnswer {
	status: number
	sessionId: string | null
	/** Null when the body held no answer to the request. */
	answer: RpcAnswer | null
}

/** What an exchange with one MCP server needs. */
export interface Upstream {
	safeFetch: Pick<SafeFetch, 'fetch'>
	url: string
	/** The stored headers, secrets included. */
	headers: ReadonlyMap<string, string>
	/** What the server may think that its client can be asked for. */
	capabilities: Record<string, unknown>
	/** Ends everything that is still open. */
	signal: AbortSignal
	/** For one message and its answer. */
	timeoutMs: number
	/** For all of them together, and so for streams that stay open. */
	totalMs: number
}

let lastId = 0

/** Sends one request by POST and waits for its answer, as JSON or in an event stream. */
export async function postRequest(
	upstream: Upstream,
	method: string,
	params: object,
	headers: Record<string, string>,
): Promise<HttpAnswer> {
	lastId += 1
	return post(upstream, { jsonrpc: '2.0', id: lastId, method, params }, headers, lastId)
}

/** Sends one notification by POST. */
export async function postNotification(
	upstream: Upstream,
	method: string,
	headers: Record<string, string>,
): Promise<void> {
	await post(upstream, { jsonrpc: '2.0', method }, headers, null)
}

/** Sends the answer to a request of the server by POST. */
export async function postAnswer(
	upstream: Upstream,
	answer: object,
	headers: Record<string, string>,
): Promise<void> {
	await post(upstream, answer, headers, null)
}

async function post(
	upstream: Upstream,
	message: object,
	headers: Record<string, string>,
	id: number | null,
): Promise<HttpAnswer> {
	const response = await upstream.safeFetch.fetch(upstream.url, {
		method: 'POST',
		headers: {
			...Object.fromEntries(upstream.headers),
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...headers,
		},
		body: JSON.stringify(message),
		signal: upstream.signal,
		timeoutMs: upstream.timeoutMs,
		maxBytes: answerMaxBytes,
	})
	const { status } = response
	if (status === 401 || status === 403) {
		await response.body?.cancel()
		throw new UpstreamFailure(`It answered ${status}: its headers may lack a valid credential.`)
	}
	const type = response.headers.get('content-type') ?? ''
	const reply = (asked: object) => postAnswer(upstream, asked, headers)
	const answer = id === null ? null : await readAnswer(response, type, id, reply)
	if (id === null) await response.body?.cancel()
	return { status, sessionId: response.headers.get('mcp-session-id'), answer }
}

async function readAnswer(
	response: Awaited<ReturnType<SafeFetch['fetch']>>,
	type: string,
	id: number,
	reply: (answer: object) => Promise<void>,
): Promise<RpcAnswer | null> {
	if (/^text\/event-stream\b/i.test(type) && response.body) {
		for await (const { data } of readSseEvents(response.body)) {
			const answer = parseAnswer(data, id)
			if (answer) return answer
			for (const asked of answerRequests(data)) await reply(asked)
		}
		return null
	}
	if (/^application\/json\b/i.test(type)) return parseAnswer(await response.text(), id)
	await response.body?.cancel()
	return null
}

/** The answer to request `id` in a text; an error without an id counts too, since a refused request has none. */
export function parseAnswer(text: string, id: number): RpcAnswer | null {
	for (const { id: ofRequest, method, result, error } of parseMessages(text)) {
		const isOurs = ofRequest === id || ofRequest == null
		if (isObject(error) && typeof error.code === 'number' && isOurs)
			return { error: { code: error.code, message: String(error.message ?? ''), data: error.data } }
		if (ofRequest === id && method === undefined && isObject(result)) return { result }
	}
	return null
}

/** The result, or a failure that names the method. */
export function resultOf(method: string, { status, answer }: HttpAnswer): Record<string, unknown> {
	if (answer?.result) return answer.result
	if (answer?.error)
		throw new UpstreamFailure(`It refused ${method} (error ${answer.error.code}).`, { refused: status < 429 })
	throw new UpstreamFailure(`Its answer to ${method} is no MCP message (status ${status}).`)
}
