import {
	envelope,
	type JsonObject,
	metaOf,
	type RpcNotification,
	type RpcResponse,
	type SendContext,
} from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type TraceContext, traceparentOf } from '../../platform/trace/current-trace.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import type { Limits } from '../limits.ts'
import { type AskableCall, type ClientProgram, type Operation, wholeOf } from '../operation.ts'
import { severityOf } from '../protocol/log-levels.ts'
import type { Reply } from '../reply.ts'

const ofThisHop: ReadonlySet<string> = new Set(Object.values(envelope))

/**
 * The client's `_meta` without what belongs to its own hop: progress gets a token that is unique upstream, the trace
 * goes on below our span, with the state that came by header too.
 */
export function relayedMeta(params: JsonObject, token: number, trace: TraceContext): JsonObject {
	const given = metaOf(params)
	const meta: JsonObject = {}
	// Copied key by key: an object of which keys are deleted becomes a slow one.
	for (const key in given) if (!ofThisHop.has(key)) meta[key] = given[key]
	meta.traceparent = traceparentOf(trace)
	if (trace.traceState !== '') meta.tracestate ??= trace.traceState
	if (meta.progressToken !== undefined) meta.progressToken = token
	return meta
}

/** The same for servers that read headers. What came in `_meta` may be no text that a header can carry. */
export function relayedHeaders(trace: TraceContext): Record<string, string> {
	const { traceState } = trace
	const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(traceState)
	return { traceparent: traceparentOf(trace), ...(isPlain && { tracestate: traceState }) }
}

/** What of an upstream's notification goes to the client: progress under its own token, and logs that it wants; else null. */
export function relayNotification(
	operation: Operation,
	{ method, params }: RpcNotification,
	token: number,
): string | null {
	if (method === 'notifications/progress') {
		const own = metaOf(operation.request.params).progressToken
		if (own === undefined || params.progressToken !== token) return null
		return notification(method, { ...params, progressToken: own })
	}
	// A page in the browser is done; modern clients know no such message and simply try again.
	if (method === 'notifications/elicitation/complete' && operation.client.era === 'legacy')
		return notification(method, params)
	if (method === 'notifications/message' && wantsLog(operation, params.level))
		return notification(method, params)
	return null
}

/** Replies that took no more when something was last written to them; what they miss meanwhile is progress alone. */
const full = new WeakSet<Reply>()

/**
 * Progress that a server sends on the stream of its session, though the call that it is of has one of its own (mcp-go writes to
 * whichever is free). False where it is something else.
 */
export function relayProgress(running: Iterable<Operation | AskableCall>, said: RpcNotification): boolean {
	if (said.method !== 'notifications/progress') return false
	for (const call of running) {
		if (!call.sentAs || call.sentAs !== said.params.progressToken) continue
		const operation = wholeOf(call) as Operation
		const { reply } = operation
		const message = full.has(reply) ? null : relayNotification(operation, said, call.sentAs)
		if (message !== null && !reply.notify(message)) {
			full.add(reply)
			reply.onDrain(() => full.delete(reply))
		}
		return true
	}
	return false
}

export function isAnnouncement(method: string): boolean {
	return method === 'notifications/resources/updated' || method.endsWith('/list_changed')
}

/** Modern clients ask for logs by naming a level; legacy ones get all until they name one. */
function wantsLog({ client }: Operation, level: unknown): boolean {
	if (client.logLevel === null) return client.era === 'legacy'
	return severityOf(level) >= severityOf(client.logLevel)
}

function notification(method: string, params: Record<string, unknown>): string {
	return JSON.stringify({ jsonrpc: '2.0', method, params })
}

/** What all upstreams are reached with. */
export interface UpstreamContext extends SendContext {
	clock: Clock
	limits: Limits
}

/** A client's operation on one server. */
export interface UpstreamCall {
	operation: Operation
	server: ServerEntry
	/** As the client sent them, with the server's own tool name. */
	params: JsonObject
	/** The definition of the called tool, for `tools/call`. */
	tool: ToolDefinition | null
	/** Makes a result out of the task that the server answered with; absent where nobody understands tasks. */
	takeTask?(created: JsonObject): Promise<JsonObject>
}

export type OnNotification = (notification: RpcNotification) => void

/**
 * A subscription to a server's notifications: `notifications/…/list_changed`, `notifications/resources/updated` and, where a server's
 * session is one client's alone, what else it announces.
 */
export interface Listening {
	/** Rejects with an `RpcFailure` when the server does not take it. */
	subscribe(uri: string): Promise<void>
	unsubscribe(uri: string): Promise<void>
	close(): void
}

/** The server as it is reached now, with whatever token is sent. */
export type Reach = () => ServerEntry | Promise<ServerEntry>

/** A server of one era, spoken to in its own words; results come back as that era has them. */
export interface Upstream {
	/** While it runs, requests of the server go to `call.operation.ask` (see `answerServer`). */
	request(call: UpstreamCall): Promise<RpcResponse>
	/** Listens for a client until closed, however often the connection breaks; each new one goes where `reach` says. */
	listen(server: ServerEntry, client: ClientProgram, listener: OnNotification, reach: Reach): Listening
	/** Forgets servers that are gone, and what nobody used for long. */
	prune(isKnown: (server: ServerEntry) => boolean): void
	close(): Promise<void>
}
