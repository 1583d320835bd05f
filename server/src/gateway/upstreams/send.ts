import type { Dispatcher } from 'undici'
import type { Clock } from '../../platform/clock.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { Cancellation } from '../cancellation.ts'
import {
	type RpcMessage,
	type RpcNotification,
	type RpcRequest,
	type RpcResponse,
	readFromServer,
} from '../json-rpc/message.ts'
import { parseJsonBytes, parseJsonText } from '../json-rpc/parse-json.ts'
import type { Limits } from '../limits.ts'
import type { Operation } from '../operation.ts'
import type { Reply } from '../reply.ts'
import { CredentialsRefused } from './credentials-refused.ts'
import { Exchange, type ExchangeEnd } from './exchange.ts'
import type { LingeringExchanges } from './lingering-exchanges.ts'
import { resumeExchange } from './resume-exchange.ts'
import { targetOf } from './target.ts'
import { SessionLost, toUpstreamFailure, upstreamFailure } from './upstream-failure.ts'

export interface SendContext {
	dispatcher: Dispatcher
	clock: Clock
	limits: Limits
	/** Streams that go on after their answer came; someone ends them in the end. */
	lingering: LingeringExchanges
}

/** One request as it goes over the wire. */
export interface Wire {
	server: ServerEntry
	/** Ours: unique over everything that shares the upstream's session. */
	id: number
	method: string
	params: Record<string, unknown>
	headers: Record<string, string>
	idleMs: number
	cancellation: Cancellation
	/** Set as soon as anything of it may reach the server. */
	sending?: Operation['sending']
	/** Told when the request is cut, beside the closing of its connection. */
	onCancel?(): void
	onNotification?(notification: RpcNotification): boolean
	onRequest?(request: RpcRequest): void
	drain?: Reply['onDrain']
}

export interface Answer {
	response: RpcResponse
	/** Null when the answer came as an event stream that may go on. */
	headers: ExchangeEnd['headers']
}

/** How many of the largest messages an answer may consist of, comments and all. */
const streamFactor = 8

/** Sends one request and resolves with its answer as soon as that is there; rejects with `RpcFailure` or `SessionLost`. */
export function sendRequest(context: SendContext, wire: Wire): Promise<Answer> {
	return new Promise<Answer>((resolve, reject) => {
		const wasSent = wire.sending?.isSent ?? false
		let answered = false
		const settle = (response: RpcResponse, headers: ExchangeEnd['headers']) => {
			answered = true
			wire.cancellation.handOver(null)
			resolve({ response, headers })
		}
		const fail = (error: unknown) => {
			wire.cancellation.handOver(null)
			reject(wire.cancellation.failure ?? toUpstreamFailure(wire.server, error))
		}
		const take = (text: string) => {
			if (answered) return
			const response = takeEvent(wire, exchange, text)
			if (!response) return
			context.lingering.add(exchange)
			settle(response, exchange.headers)
		}
		const resume = () => {
			const next = resumeExchange(context, wire, exchange, take)
			next?.then(follow, fail)
			resumed ||= next !== null
			return next !== null
		}
		const end = (ended: ExchangeEnd) => {
			if (answered) context.lingering.delete(exchange)
			else if (ended.streamed && resume()) return
			else settle(readEnd(wire, resumed ? { ...ended, streamed: true } : ended, wasSent), ended.headers)
		}
		const broken = (error: unknown) => {
			if (answered) context.lingering.delete(exchange)
			else if (wire.cancellation.failure || !resume()) fail(error)
		}
		const follow = (started: Exchange) => {
			exchange = started
			if (wire.cancellation.failure) exchange.abort(wire.cancellation.failure)
			exchange.done.then(end).catch(broken)
		}
		let resumed = false
		let exchange = startExchange(context, wire, take)
		follow(exchange)
		wire.cancellation.handOver((failure) => {
			wire.onCancel?.()
			exchange.abort(failure)
			fail(failure)
		})
	})
}

/** Posts a message that has no answer; whether it arrives changes nothing. */
export function sendAndForget(
	context: SendContext,
	server: ServerEntry,
	headers: Record<string, string>,
	message: unknown,
): Promise<void> {
	const { origin, path, headers: own } = targetOf(server)
	const request = {
		origin,
		path,
		method: 'POST' as const,
		headers: { ...own, ...headers },
		body: JSON.stringify(message),
	}
	const exchange = new Exchange(
		context.dispatcher,
		{ ...request, idleMs: context.limits.handshakeMs, messageBytes: 64 * 1024 },
		() => {},
	)
	return exchange.done.then(
		() => {},
		() => {},
	)
}

function startExchange(context: SendContext, wire: Wire, onMessage: (text: string) => void): Exchange {
	const { origin, path, headers } = targetOf(wire.server)
	const body = JSON.stringify({ jsonrpc: '2.0', id: wire.id, method: wire.method, params: wire.params })
	const request = { origin, path, method: 'POST' as const, headers: { ...headers, ...wire.headers }, body }
	return new Exchange(
		context.dispatcher,
		{
			...request,
			idleMs: wire.idleMs,
			messageBytes: context.limits.answerBytes,
			streamBytes: streamFactor * context.limits.answerBytes,
			onSent: () => {
				if (wire.sending) wire.sending.isSent = true
			},
		},
		onMessage,
	)
}

/** One event of a stream: the answer, or something on the way to it, or both in a batch. */
function takeEvent(wire: Wire, exchange: Exchange, text: string): RpcResponse | null {
	let answer: RpcResponse | null = null
	for (const message of readFromServer(parseJsonText(text), versionOf(wire)))
		answer = takeMessage(wire, exchange, message) ?? answer
	return answer
}

function takeMessage(wire: Wire, exchange: Exchange, message: RpcMessage): RpcResponse | null {
	if (message.kind === 'response') return message.id === wire.id ? message : null
	if (message.kind === 'request') wire.onRequest?.(message)
	else if (wire.onNotification?.(message) === false && !exchange.paused) {
		exchange.pause()
		wire.drain?.(() => exchange.resume())
	}
	return null
}

/** The answer in a plain HTTP response, or what its status means. `wasSent`: before this request was. */
function readEnd(wire: Wire, end: ExchangeEnd, wasSent: boolean): RpcResponse {
	if (end.streamed)
		throw upstreamFailure(wire.server, 'upstream_disconnected', 'ended its stream before the answer.')
	const response = readBody(wire, end)
	const isLost = isSessionLost(wire, end.status, response)
	if (!isLost && response && (response.id === wire.id || (response.error && response.id === null)))
		return response
	// It was refused as a request, so that it ran nowhere.
	if (wire.sending && end.status >= 400 && end.status < 500) wire.sending.isSent = wasSent
	if (isLost) throw new SessionLost()
	if (end.status === 401 || end.status === 403)
		throw upstreamFailure(
			wire.server,
			'upstream_unauthorized',
			`refused our credentials (HTTP ${end.status}).`,
			new CredentialsRefused(end.status, end.headers['www-authenticate']),
		)
	if (end.status >= 300)
		throw upstreamFailure(wire.server, 'upstream_http_error', `answered HTTP ${end.status}.`)
	throw upstreamFailure(
		wire.server,
		'upstream_invalid_answer',
		'answered with something that is no answer to the request.',
	)
}

function readBody(wire: Wire, end: ExchangeEnd): RpcResponse | null {
	if (end.body.length === 0 || !/json/i.test(end.headers['content-type'] ?? '')) return null
	try {
		const messages = readFromServer(parseJsonBytes(end.body), versionOf(wire))
		return messages.find((message) => message.kind === 'response') ?? null
	} catch (error) {
		if (end.status >= 300) return null
		throw error
	}
}

/** What was agreed on with the server, where there was a handshake. */
function versionOf({ headers }: Wire): string | undefined {
	return headers['mcp-protocol-version']
}

/** By the protocol 404; widely used servers answer 400 and name the session. Both refuse before anything runs. */
function isSessionLost(wire: Wire, status: number, response: RpcResponse | null): boolean {
	if (!wire.headers['mcp-session-id']) return false
	return status === 404 || (status === 400 && /session/i.test(response?.error?.message ?? ''))
}
