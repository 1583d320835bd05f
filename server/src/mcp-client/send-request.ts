import type { Dispatcher } from 'undici'
import type { Cancellation } from './cancellation.ts'
import {
	Exchange,
	type ExchangeEnd,
	type ExchangeListener,
	exchangeOnce,
	type StartedExchange,
} from './exchange.ts'
import type { RpcMessage, RpcNotification, RpcRequest, RpcResponse } from './message.ts'
import { readFromServer } from './raw-message.ts'
import { type McpServer, targetOf } from './target.ts'
import {
	CredentialsRefused,
	HttpStatus,
	SessionLost,
	toUpstreamFailure,
	upstreamFailure,
} from './upstream-failure.ts'

export interface SendContext {
	dispatcher: Dispatcher
	limits: {
		/** Largest single message of a server, in bytes. */
		answerBytes: number
		/** Deepest nesting of its answers; 64 levels by default. */
		answerDepth?: number
		/** Longest handshake with a server, in milliseconds. */
		handshakeMs: number
	}
	/** Collects the streams that continue after their answer, so that they are ended eventually. */
	lingering: LingeringExchanges
}

/** One request to a server, with the callbacks for what arrives beside its answer. */
export interface McpRequest {
	server: McpServer
	/** The id on the wire: unique among everything that shares the session with the server. */
	id: number
	method: string
	/** The params, or their JSON text. */
	params: Record<string, unknown> | string
	headers: Record<string, string>
	idleMs: number
	cancellation: Cancellation
	/** Set as soon as anything of it may reach the server. */
	sending?: { isSent: boolean }
	/** The same request if it is already under way; it is taken over. */
	begun?: StartedExchange | undefined
	/** Called when the request is cut, in addition to closing its connection. */
	onCancel?(): void
	/** False asks for a pause, until the callback given to `drain` is called. */
	onNotification?(notification: RpcNotification): boolean
	onRequest?(request: RpcRequest): void
	drain?(resume: () => void): void
}

export interface Answer {
	response: RpcResponse
	/** Of the HTTP response; 200 if the answer was an event. */
	status: number
	headers: ExchangeEnd['headers']
}

/** Limit for a whole answer with its other messages and comments, as a multiple of the largest message. */
const streamFactor = 8
const maxResumeMs = 30_000
/**
 * What only reads, or has the same effect if it is done twice. It is sent again if the server closed the connection at that moment, as
 * when it restarts or ends an unused connection. A tool call is not, because the server may have begun to run it.
 */
const repeatable = new Set([
	...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'completion/complete'],
	...['tools/list', 'prompts/list', 'prompts/get', 'tasks/list', 'tasks/get'],
	...['resources/list', 'resources/templates/list', 'resources/read'],
	...['resources/subscribe', 'resources/unsubscribe'],
])

/** Sends one request and resolves with its answer as soon as it arrives. Rejects with `RpcFailure` or `SessionLost`. */
export function sendRequest(context: SendContext, request: McpRequest): Promise<Answer> {
	return new Promise((resolve, reject) => new SentRequest(context, request, resolve, reject).start())
}

/**
 * Posts a message that has no answer and may arrive twice. Resolves with the error that prevented delivery, or null. An error status
 * does not count as one.
 */
export async function sendOneWay(
	{ dispatcher, limits }: SendContext,
	server: McpServer,
	headers: Record<string, string>,
	message: unknown,
): Promise<Error | null> {
	const { origin, path, headers: own } = targetOf(server)
	const request = { origin, path, method: 'POST' as const, headers: { ...own, ...headers } }
	const bounds = { idleMs: limits.handshakeMs, messageBytes: 64 * 1024 }
	const body = JSON.stringify(message)
	return exchangeOnce(dispatcher, { ...request, ...bounds, body, repeatable: true }).then(
		() => null,
		(error: unknown) => toUpstreamFailure(server, error),
	)
}

/** A request that was sent. A class, because there are thousands of calls. */
class SentRequest implements ExchangeListener {
	readonly #context: SendContext
	readonly #request: McpRequest
	readonly #resolve: (answer: Answer) => void
	readonly #reject: (error: unknown) => void
	readonly #wasSent: boolean
	#exchange: Exchange | null = null
	#isAnswered = false
	#isResumed = false

	constructor(
		context: SendContext,
		request: McpRequest,
		resolve: (answer: Answer) => void,
		reject: (error: unknown) => void,
	) {
		this.#context = context
		this.#request = request
		this.#resolve = resolve
		this.#reject = reject
		this.#wasSent = request.begun === undefined && (request.sending?.isSent ?? false)
	}

	start(): void {
		const { id, method, params, server, headers: more, idleMs, cancellation, begun } = this.#request
		const { origin, path, headers } = targetOf(server)
		const messageBytes = this.#context.limits.answerBytes
		const request = {
			origin,
			path,
			method: 'POST' as const,
			headers: { ...headers, ...more },
			repeatable: repeatable.has(method),
			body: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${typeof params === 'string' ? params : JSON.stringify(params)}}`,
			idleMs,
			messageBytes,
			streamBytes: streamFactor * messageBytes,
		}
		cancellation.handOver((failure) => this.#cut(failure))
		if (cancellation.failure) return
		this.#exchange = new Exchange(this.#context.dispatcher, request, this, begun !== undefined)
		begun?.handTo(this.#exchange)
	}

	sent(): void {
		if (this.#request.sending) this.#request.sending.isSent = true
	}

	message(text: string): void {
		if (this.#isAnswered) return
		const response = this.#takeEvent(text)
		if (!response) return
		const exchange = this.#exchange as Exchange
		this.#context.lingering.add(exchange)
		this.#settle({ response, status: 200, headers: exchange.headers })
	}

	ended(end: ExchangeEnd): void {
		if (this.#isAnswered) return void this.#context.lingering.delete(this.#exchange as Exchange)
		if (end.streamed && this.#resume()) return
		try {
			const response = this.#readEnd(this.#isResumed ? { ...end, streamed: true } : end)
			this.#settle({ response, status: end.status, headers: end.headers })
		} catch (error) {
			this.#fail(error)
		}
	}

	failed(error: Error): void {
		if (this.#isAnswered) return void this.#context.lingering.delete(this.#exchange as Exchange)
		if (this.#request.cancellation.failure || !this.#resume()) this.#fail(error)
	}

	#cut(failure: Error): void {
		this.#request.onCancel?.()
		this.#exchange?.abort(failure)
		this.#fail(failure)
	}

	#settle(answer: Answer): void {
		this.#isAnswered = true
		this.#request.cancellation.handOver(null)
		this.#resolve(answer)
	}

	#fail(error: unknown): void {
		const { cancellation, server } = this.#request
		cancellation.handOver(null)
		this.#reject(cancellation.failure ?? toUpstreamFailure(server, error))
	}

	/**
	 * Resumes the event stream of a legacy server that ended or broke before the answer, after its last event (2025-11-25,
	 * "polling"). False if the server gave no event ids: the answer is lost then. Nothing is sent twice.
	 */
	#resume(): boolean {
		const { headers, server, idleMs, cancellation } = this.#request
		const resumption = this.#exchange?.resumption
		if (!resumption || !headers['mcp-protocol-version'] || headers['mcp-method']) return false
		this.#isResumed = true
		const { origin, path, headers: own } = targetOf(server)
		const request = {
			origin,
			path,
			method: 'GET' as const,
			headers: { ...own, ...headers, 'last-event-id': resumption.lastEventId },
			body: null,
			idleMs,
			messageBytes: this.#context.limits.answerBytes,
		}
		setTimeout(
			() => {
				if (cancellation.failure) return
				// Without `sent`: the first bytes were sent with the original request.
				const listener = {
					message: (text: string) => this.message(text),
					ended: (end: ExchangeEnd) => this.ended(end),
					failed: (error: Error) => this.failed(error),
				}
				this.#exchange = new Exchange(this.#context.dispatcher, request, listener)
			},
			Math.min(resumption.retryMs, maxResumeMs),
		)
		return true
	}

	/** One event of a stream: the answer, a message before it, or both in a batch. */
	#takeEvent(text: string): RpcResponse | null {
		let answer: RpcResponse | null = null
		for (const message of this.#readMessages(Buffer.from(text))) answer = this.#takeMessage(message) ?? answer
		return answer
	}

	#takeMessage(message: RpcMessage): RpcResponse | null {
		const exchange = this.#exchange as Exchange
		if (message.kind === 'response') return message.id === this.#request.id ? message : null
		if (message.kind === 'request') this.#request.onRequest?.(message)
		else if (this.#request.onNotification?.(message) === false && !exchange.paused) {
			exchange.pause()
			this.#request.drain?.(() => exchange.resume())
		}
		return null
	}

	/** The answer in a plain HTTP response. Throws the error that its status means. */
	#readEnd(end: ExchangeEnd): RpcResponse {
		const { id, server, sending } = this.#request
		if (end.streamed)
			throw upstreamFailure(server, 'upstream_disconnected', 'ended its stream before the answer.')
		const response = this.#readBody(end)
		const isLost = this.#isSessionLost(end.status, response)
		if (!isLost && response && (response.id === id || (response.error && response.id === null)))
			return response
		// The request was refused, so it did not run.
		if (sending && end.status >= 400 && end.status < 500) sending.isSent = this.#wasSent
		if (isLost) throw new SessionLost()
		throw noAnswer(server, end)
	}

	#readBody(end: ExchangeEnd): RpcResponse | null {
		if (end.body.length === 0 || !/json/i.test(end.headers['content-type'] ?? '')) return null
		try {
			return this.#readMessages(end.body).find((message) => message.kind === 'response') ?? null
		} catch (error) {
			if (end.status >= 300) return null
			throw error
		}
	}

	#readMessages(bytes: Buffer): RpcMessage[] {
		// The version agreed on in the handshake, if there was one.
		const version = this.#request.headers['mcp-protocol-version']
		return readFromServer(bytes, version, this.#context.limits.answerDepth)
	}

	/** The protocol's status is 404. Widely used servers answer 400 and mention the session. Both refuse before anything runs. */
	#isSessionLost(status: number, response: RpcResponse | null): boolean {
		if (!this.#request.headers['mcp-session-id']) return false
		return status === 404 || (status === 400 && /session/i.test(response?.error?.message ?? ''))
	}
}

/** The error that a response without an answer means, by its status. */
export function noAnswer(server: McpServer, { status, headers }: ExchangeEnd): Error {
	if (status === 401 || status === 403) {
		const challenges: string | string[] | undefined = headers['www-authenticate']
		// A server may send several, each in a header of its own.
		const challenge = Array.isArray(challenges) ? challenges.join(', ') : challenges
		const refused = new CredentialsRefused(status, challenge)
		const text = `refused the credentials of the gateway (HTTP ${status}).`
		return upstreamFailure(server, 'upstream_unauthorized', text, refused)
	}
	const cause = new HttpStatus(status)
	if (status > 300 && status < 400) {
		const text = `redirects (HTTP ${status}) to another address or another origin; register that one.`
		return upstreamFailure(server, 'upstream_http_error', text, cause)
	}
	return status >= 300
		? upstreamFailure(server, 'upstream_http_error', `answered HTTP ${status}.`, cause)
		: upstreamFailure(
				server,
				'upstream_invalid_answer',
				'answered with something that is no answer to the request.',
				cause,
			)
}

type Lingering = Pick<Exchange, 'abort'>

/** Streams that continue after their answer. Most end at once; the rest are ended at the second sweep that finds them. */
export class LingeringExchanges {
	#recent = new Set<Lingering>()
	#old = new Set<Lingering>()

	add(exchange: Lingering): void {
		this.#recent.add(exchange)
	}

	delete(exchange: Lingering): void {
		this.#recent.delete(exchange)
		this.#old.delete(exchange)
	}

	sweep(): void {
		const overdue = this.#old
		this.#old = this.#recent
		this.#recent = new Set()
		for (const exchange of overdue) exchange.abort(new Error('The stream went on after its answer.'))
	}

	/** Ends all of them. */
	close(): void {
		this.sweep()
		this.sweep()
	}
}
