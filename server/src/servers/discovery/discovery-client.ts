import type { Dispatcher } from 'undici'
import {
	Cancellation,
	endLegacySession,
	eraOf,
	exchangeOnce,
	HttpStatus,
	isObject,
	type JsonObject,
	LingeringExchanges,
	legacyVersions,
	type McpServer,
	modernHeaders,
	modernVersions,
	NoEventStream,
	openLegacySession,
	ownMeta,
	ownProcessHeader,
	RpcFailure,
	type RpcRequest,
	ServerStream,
	SseDispatcher,
	sendOneWay,
	sendRequest,
	targetOf,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import { startTimer } from '../../platform/clock.ts'
import { traceHeaders } from '../../platform/trace/current-trace.ts'
import { badPortsSet } from '../../platform/undici.ts'
import type { ToolDefinition } from '../server-entry.ts'
import { type Introduction, readIntroduction } from './introduction.ts'
import { type AskPage, answerMaxBytes, hasSoundHeaders, listAllTools } from './list-tools.ts'
import { toUpstreamFailure, UpstreamFailure } from './upstream-failure.ts'

export interface Target {
	url: string
	headers: ReadonlyMap<string, string>
	/** Null tries all transports, the newest first. */
	transportType: 'http' | 'sse' | null
	/** Whether to skip revision 2026-07-28 even if the server may know it. */
	speaksLegacy?: boolean
	/** The client capabilities to announce; none by default. */
	capabilities?: Record<string, unknown>
	/** Aborts the exchange early. */
	signal?: AbortSignal
}

/**
 * How long to wait for a server: a distant one needs long for many messages, while a dead one must be detected quickly at the
 * first.
 */
export interface DiscoveryTimeouts {
	/** For one message and its response. */
	messageMs: number
	totalMs: number
}

/** An open connection with a server, whatever its era and transport. */
export interface Conversation {
	transportType: 'http' | 'sse'
	protocolVersion: string
	introduction: Introduction
	latencyMs: number
	/** All tools; empty if the server does not announce the capability. */
	listTools(): Promise<ToolDefinition[]>
	/** Ends the session if there is one; never rejects. */
	end(): Promise<void>
}

/**
 * An old server may not respond to an unknown method at all, so the probe is awaited alone for only part of the time. That part is
 * longer for a program, because nothing shows whether it is still starting.
 */
const probeShare = { remote: 0.4, program: 0.8 }
/** Definitions that are nested too deeply are omitted one by one, so the list containing them must be readable. */
const answerDepth = 256
/** Status codes that mean that the URL does not serve a transport. */
const noTransport: ReadonlySet<number> = new Set([400, 404, 405])
/** Responses to requests meant for a person during a check, so that the server does not wait for one. */
const ownAnswers: Readonly<Record<string, object>> = {
	ping: { result: {} },
	'roots/list': { result: { roots: [] } },
	'elicitation/create': { result: { action: 'cancel' } },
	'sampling/createMessage': { error: { code: -1, message: 'User rejected sampling request' } },
}
const unknownMethod = {
	error: { code: -32601, message: 'Nobody can be asked for this while the tools are listed.' },
}

/** Unique ids, because some servers distinguish concurrent discoveries by nothing else. */
let lastId = 0

/** All requests to one server during one check; `close` aborts those that are still running. */
export class DiscoveryClient {
	readonly #context
	readonly #sse: SseDispatcher
	readonly #server: McpServer
	readonly #isProgram: boolean
	readonly #capabilities: JsonObject
	readonly #patience: DiscoveryTimeouts
	readonly #cancellations = new Set<Cancellation>()
	readonly #deadline: NodeJS.Timeout
	readonly #signal: AbortSignal | undefined
	readonly #onAbort = () => this.#cancelAll()
	#stream: ServerStream | null = null
	#isOver = false

	constructor(
		dispatcher: Dispatcher,
		{ url, headers, capabilities = {}, signal }: Target,
		patience: DiscoveryTimeouts,
	) {
		const { messageMs, totalMs } = patience
		this.#isProgram = !/^https?:/.test(url)
		const handshakeMs = this.#isProgram ? totalMs : messageMs
		const limits = { answerBytes: answerMaxBytes, answerDepth, handshakeMs }
		this.#sse = new SseDispatcher(dispatcher, limits)
		this.#context = { dispatcher: this.#sse, limits, lingering: new LingeringExchanges() }
		const withTrace = new Map([...Object.entries(traceHeaders()), ...headers])
		this.#server = { name: '', url, headers: withTrace, transportType: 'http', protocolVersion: null }
		this.#capabilities = capabilities
		this.#patience = patience
		this.#deadline = setTimeout(() => this.#cancelAll(), totalMs)
		this.#signal = signal
		signal?.addEventListener('abort', this.#onAbort)
		if (signal?.aborted) this.#cancelAll()
	}

	async open({ url, transportType, speaksLegacy }: Target): Promise<Conversation> {
		if (badPortsSet.has(new URL(url).port))
			throw new UpstreamFailure('Its port is one that web clients refuse; use another.')
		const overHttp = transportType === 'sse' ? null : await this.#openHttp(speaksLegacy === true)
		const spoken = overHttp ?? (transportType === 'http' ? null : await this.#openLegacy('sse'))
		return spoken ?? noServer('No MCP server answers at this address.')
	}

	/** Reopens a conversation with the known revision and transport. */
	reopen({
		transportType,
		protocolVersion,
	}: Pick<Conversation, 'transportType' | 'protocolVersion'>): Promise<Conversation | null> {
		if (transportType === 'sse') return this.#openLegacy('sse')
		return eraOf(protocolVersion) === 'modern' ? this.#probe().conversation : this.#openLegacy('http')
	}

	close(): void {
		clearTimeout(this.#deadline)
		this.#signal?.removeEventListener('abort', this.#onAbort)
		this.#cancelAll()
	}

	#cancelAll(): void {
		this.#isOver = true
		for (const cancellation of this.#cancellations) cancellation.cancel(late(this.#server))
		this.#stream?.close()
		this.#sse.closeLines()
		this.#context.lingering.close()
	}

	/**
	 * Opens the modern era, or else the legacy one. If a server does not respond to the probe in time, both are tried, and the first
	 * to respond wins.
	 */
	async #openHttp(speaksLegacy: boolean): Promise<Conversation | null> {
		if (speaksLegacy) return this.#openLegacy('http')
		const { responded, conversation: modern } = this.#probe()
		await Promise.race([responded, this.#leftWithoutAnswer(responded)])
		if (await isSettled(responded)) return (await modern) ?? this.#openLegacy('http')
		const legacy = this.#openLegacy('http', 'own')
		const either = modern.then((found) => found ?? (this.#isProgram ? this.#openLegacy('http') : null))
		const first = await Promise.any([either, legacy].map(rejectNull)).catch(() => null)
		if (!first)
			return legacy.catch((error) => (toUpstreamFailure(error).refused ? modern : Promise.reject(error)))
		for (const each of [either, legacy])
			each.then((late) => (late === first ? undefined : late?.end())).catch(() => {})
		return first
	}

	/**
	 * Resolves when the server has left the probe unanswered although it is responsive. A server that is merely slow must not be
	 * mistaken for an old one: so a request that needs no MCP is sent, and then its response time is waited for once more.
	 */
	async #leftWithoutAnswer(responded: Promise<void>): Promise<void> {
		await wait(this.#patience.messageMs * probeShare[this.#isProgram ? 'program' : 'remote'])
		if (this.#isOver || this.#isProgram || (await isSettled(responded))) return
		const { origin, path } = targetOf(this.#server)
		const timer = startTimer()
		const request = { origin, path, method: 'OPTIONS' as const, headers: {}, body: null }
		const bounds = { idleMs: this.#patience.messageMs, messageBytes: answerMaxBytes }
		try {
			await exchangeOnce(this.#context.dispatcher, { ...request, ...bounds })
		} catch {
			// A closed connection counts as a response too.
		}
		await wait(Math.max(100, timer()))
	}

	/**
	 * `responded` resolves when the server has responded in any way, or never will. The conversation is null if it does not speak the
	 * modern era.
	 */
	#probe(): { responded: Promise<void>; conversation: Promise<Conversation | null> } {
		const timer = startTimer()
		const first = this.#discover()
		const conversation = first.then(async (answer) => {
			const offered = offeredVersion(answer)
			return this.#modern(offered ? await this.#discover() : answer, timer())
		})
		// Nobody may be awaiting these if the other era responds first.
		conversation.catch(() => {})
		const done = () => {}
		return { responded: first.then(done, done), conversation }
	}

	async #discover(): Promise<RpcAnswer | null> {
		try {
			return await this.#ask(
				'server/discover',
				{ _meta: ownMeta(this.#capabilities) },
				modernHeaders('server/discover', {}),
			)
		} catch (error) {
			if (isNoMcpAnswer(error)) return null
			throw error
		}
	}

	#modern(answer: RpcAnswer | null, latencyMs: number): Conversation | null {
		const result = answer?.result
		const supported = Array.isArray(result?.supportedVersions) ? result.supportedVersions : []
		const spoken = modernVersions.find((candidate) => supported.includes(candidate))
		if (!result || !spoken) return null
		const _meta = ownMeta(this.#capabilities)
		const headers = modernHeaders('tools/list', {})
		const askPage: AskPage = (page) => this.#resultOf('tools/list', { ...page, _meta }, headers)
		return {
			transportType: 'http',
			protocolVersion: spoken,
			introduction: readIntroduction(result),
			latencyMs,
			listTools: async () => (hasTools(result) ? (await listAllTools(askPage)).filter(hasSoundHeaders) : []),
			end: async () => {},
		}
	}

	/**
	 * Opens a session by `initialize`; null if the URL does not speak the transport. A program that speaks both eras would stay in
	 * this one for as long as its process runs, unless that is an `own` one.
	 */
	async #openLegacy(transportType: 'http' | 'sse', process?: 'own'): Promise<Conversation | null> {
		const isOwn = process === 'own' && this.#isProgram
		const headers = isOwn ? new Map([...this.#server.headers, [ownProcessHeader, '1']]) : this.#server.headers
		const server = { ...this.#server, headers, transportType }
		try {
			return await this.#legacy(server, transportType)
		} catch (error) {
			if (isWithoutTransport(error)) return null
			throw namingMethod('initialize', error)
		}
	}

	async #legacy(server: McpServer, transportType: 'http' | 'sse'): Promise<Conversation> {
		const cancellation = this.#newCancellation()
		const session = await openLegacySession(this.#context, server, {
			id: ++lastId,
			capabilities: this.#capabilities,
			cancellation,
			onRequest: (request) => this.#answer(server, {}, request),
		}).finally(() => this.#cancellations.delete(cancellation))
		const { headers, result, latencyMs } = session
		const version = String(result.protocolVersion)
		if (!legacyVersions.includes(version))
			throw new UpstreamFailure(`It speaks the unknown protocol revision ${version.slice(0, 20)}.`)
		if (headers['mcp-session-id'] && Object.keys(this.#capabilities).length > 0) {
			const listener = {
				onNotification: () => {},
				onRequest: (request: RpcRequest) => this.#answer(server, headers, request),
				onLost: () => {},
			}
			this.#stream = new ServerStream(this.#context, () => server, Promise.resolve(session), listener)
		}
		const askPage: AskPage = (page) => this.#resultOf('tools/list', page, headers, server)
		return {
			transportType,
			protocolVersion: version,
			introduction: readIntroduction(result),
			latencyMs,
			listTools: async () => (hasTools(result) ? listAllTools(askPage) : []),
			end: () => endLegacySession(this.#context, server, session),
		}
	}

	#answer(server: McpServer, headers: Record<string, string>, { id, method }: RpcRequest): void {
		const answer = { jsonrpc: '2.0', id, ...(ownAnswers[method] ?? unknownMethod) }
		void sendOneWay(this.#context, server, headers, answer)
	}

	/** The result; throws a failure that names the method. */
	async #resultOf(
		method: string,
		params: JsonObject,
		headers: Record<string, string>,
		server = this.#server,
	): Promise<JsonObject> {
		const { result, error, status } = await this.#ask(method, params, headers, server)
		if (result) return result
		throw new UpstreamFailure(`It refused ${method} (error ${error?.code}).`, { refused: status < 429 })
	}

	/** Sends one request with the time limit for a message. */
	async #ask(
		method: string,
		params: JsonObject,
		headers: Record<string, string>,
		server = this.#server,
	): Promise<RpcAnswer> {
		const cancellation = this.#newCancellation()
		const { messageMs, totalMs } = this.#patience
		// The first question waits for the start of a program.
		const idleMs = method === 'server/discover' && this.#isProgram ? totalMs : messageMs
		const deadline = setTimeout(() => cancellation.cancel(late(server)), idleMs)
		const id = ++lastId
		const onRequest = (request: RpcRequest) => this.#answer(server, headers, request)
		try {
			const asked = { server, id, method, params, headers, idleMs, cancellation, onRequest }
			const { response, status } = await sendRequest(this.#context, asked)
			return { result: response.result, error: response.error, status }
		} catch (error) {
			throw namingMethod(method, error)
		} finally {
			clearTimeout(deadline)
			this.#cancellations.delete(cancellation)
		}
	}

	#newCancellation(): Cancellation {
		const cancellation = new Cancellation()
		this.#cancellations.add(cancellation)
		if (this.#isOver) cancellation.cancel(late(this.#server))
		return cancellation
	}
}

interface RpcAnswer {
	result: JsonObject | null
	error: { code: number; message: string; data?: unknown } | null
	status: number
}

function late(server: McpServer): RpcFailure {
	return upstreamFailure(server, 'timeout', 'did not answer in time.')
}

/** For a response that is not MCP, where the cause describes in one sentence what was received. */
function namingMethod(method: string, error: unknown): unknown {
	const cause = error instanceof RpcFailure ? error.cause : null
	if (!isNoMcpAnswer(error) || !(cause instanceof HttpStatus)) return error
	if (cause.status > 300 && cause.status < 400) return error
	return new UpstreamFailure(`Its answer to ${method} is no MCP message (status ${cause.status}).`, { cause })
}

/** Whether a server responded, but not with MCP, as a server of another era does. */
function isNoMcpAnswer(error: unknown): boolean {
	if (error instanceof UpstreamFailure) return error.cause instanceof HttpStatus
	if (!(error instanceof RpcFailure)) return false
	return ['upstream_http_error', 'upstream_invalid_answer', 'upstream_disconnected'].includes(error.errorType)
}

function isWithoutTransport(error: unknown): boolean {
	const cause = error instanceof Error ? error.cause : null
	return cause instanceof NoEventStream || (cause instanceof HttpStatus && noTransport.has(cause.status))
}

/** A server that refuses the version of a request lists its own (-32022); the probe is then sent once more. */
function offeredVersion(answer: RpcAnswer | null): string | undefined {
	const { code, data } = answer?.error ?? {}
	const supported: unknown = code === -32022 && isObject(data) ? data.supported : null
	return modernVersions.find((version) => Array.isArray(supported) && supported.includes(version))
}

function hasTools({ capabilities }: JsonObject): boolean {
	return isObject(capabilities) && isObject(capabilities.tools)
}

async function rejectNull<T>(promise: Promise<T | null>): Promise<T> {
	return (await promise) ?? Promise.reject(new Error('There is none.'))
}

function isSettled(promise: Promise<unknown>): Promise<boolean> {
	return Promise.race([promise.then(() => true), Promise.resolve(false).then(() => false)])
}

function wait(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

export function noServer(text: string): never {
	throw new UpstreamFailure(text)
}
