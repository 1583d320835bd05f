import {
	envelope,
	type JsonObject,
	metaOf,
	progressTokenOf,
	type RpcNotification,
	type RpcResponse,
	type SendContext,
} from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { type TraceContext, traceparentOf } from '../../platform/trace/current-trace.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import type { Limits } from '../limits.ts'
import { type Ask, type AskableCall, asOperation, type ClientProgram, type Operation } from '../operation.ts'
import { severityOf } from '../protocol/log-levels.ts'
import type { Reply } from '../reply.ts'

const ofThisHop: ReadonlySet<string> = new Set([...Object.values(envelope), 'progressToken'])

/**
 * The client's `_meta` without the fields of its own hop: the progress token is replaced by one that is unique upstream, and the
 * trace continues below the gateway's span, with the state from the headers if `_meta` has none.
 */
export function relayedMeta(params: JsonObject, token: number, trace: TraceContext): JsonObject {
	const given = metaOf(params)
	const meta: JsonObject = {}
	// Copied key by key: deleting keys would turn the object into a slow one (dictionary mode).
	for (const key in given) if (!ofThisHop.has(key)) meta[key] = given[key]
	meta.traceparent = traceparentOf(trace)
	if (trace.traceState !== '') meta.tracestate ??= trace.traceState
	if (progressTokenOf(params) !== undefined) meta.progressToken = token
	return meta
}

/** The trace for servers that read headers. The trace state from `_meta` is left out if it is not valid in a header. */
export function relayedHeaders(trace: TraceContext): Record<string, string> {
	const { traceState } = trace
	const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(traceState)
	return { traceparent: traceparentOf(trace), ...(isPlain && { tracestate: traceState }) }
}

/**
 * The notification that the client gets for an upstream's: progress under the client's own token, and logs that it wants;
 * otherwise null.
 */
export function relayNotification(
	operation: Operation,
	{ method, params }: RpcNotification,
	token: number,
): string | null {
	if (method === 'notifications/progress') {
		const own = progressTokenOf(operation.request.params)
		if (own === undefined || params.progressToken !== token) return null
		return notification(method, { ...params, progressToken: own })
	}
	// The user has finished on a page. Modern clients have no such notification and simply retry.
	if (method === pageFinished && operation.client.era === 'legacy') return notification(method, params)
	if (method === 'notifications/message' && wantsLog(operation, params.level))
		return notification(method, params)
	return null
}

/** Replies whose last write hit back-pressure. Until they drain, what arrives outside their own stream is dropped. */
const full = new WeakSet<Reply>()

/**
 * Relays progress that a server sends on the stream of its session although the call has its own stream (mcp-go uses whichever is
 * free). False for other notifications.
 */
export function relayProgress(
	running: Iterable<Operation | AskableCall>,
	notification: RpcNotification,
): boolean {
	if (notification.method !== 'notifications/progress') return false
	for (const call of running) {
		if (!call.sentAs || call.sentAs !== notification.params.progressToken) continue
		relayToCall(asOperation(call) as Operation, notification, call.sentAs)
		return true
	}
	return false
}

/**
 * Relays a log or a finished page that a server sends on the session's stream to the newest running call; false if there is none, or its
 * client takes no messages. Many servers send the logs of a call there (Arcade, the TypeScript SDK's `sendLoggingMessage`). On a
 * session that clients share it is unknown whose they are, so they are dropped.
 */
export function relayToNewest(
	running: Iterable<Operation | AskableCall>,
	notification: RpcNotification,
): boolean {
	const newest = asOperation([...running].at(-1) ?? null)
	if (!newest?.reply.takesMessages) return false
	relayToCall(newest, notification, 0)
	return true
}

/** Relays a notification that arrived outside the stream of this call. */
export function relayToCall(operation: Operation, notification: RpcNotification, token: number): void {
	const { reply } = operation
	const message = full.has(reply) ? null : relayNotification(operation, notification, token)
	if (message === null || reply.notify(message)) return
	full.add(reply)
	reply.onDrain(() => full.delete(reply))
}

export function isAnnouncement(method: string): boolean {
	return method === 'notifications/resources/updated' || isListChange(method)
}

export function isListChange(method: string): boolean {
	return method.endsWith('/list_changed')
}

/** Whether a notification is meant for the client of the session, whether or not it listens to anything. */
export function isForClient(method: string): boolean {
	return method === 'notifications/message' || method === pageFinished
}

const pageFinished = 'notifications/elicitation/complete'

/** Modern clients request logs by naming a level; legacy ones get all logs until they name one. */
function wantsLog({ client }: Operation, level: unknown): boolean {
	if (client.logLevel === null) return client.era === 'legacy'
	return severityOf(level) >= severityOf(client.logLevel)
}

function notification(method: string, params: Record<string, unknown>): string {
	return JSON.stringify({ jsonrpc: '2.0', method, params })
}

/** What every upstream needs to send requests. */
export interface UpstreamContext extends SendContext {
	clock: Clock
	limits: Limits
	onOwnNotification: OnOwnNotification
	/** How the client of a session with the gateway is asked between its calls. */
	askBetweenCalls: AskBetweenCalls
	/** Whether other processes may run calls in the same sessions with servers. */
	sharesSessions?: boolean
}

/**
 * Receives the list changes that a server announces on a session of one client, and its logs and finished pages outside a call:
 * `sessionId` is the client's own session with the gateway; modern clients have none. Many servers announce a change only on the
 * session of the call that made it.
 */
export type OnOwnNotification = (
	serverId: string,
	sessionId: string | undefined,
	notification: RpcNotification,
) => void

export type AskBetweenCalls = (sessionId: string) => Ask | null

/** A client's operation on one server. */
export interface UpstreamCall {
	operation: Operation
	server: ServerEntry
	/** As sent by the client, with the server's own tool name. */
	params: JsonObject
	/** The definition of the called tool, for `tools/call`. */
	tool: ToolDefinition | null
	/** Converts a task, as the server's answer, to a result; absent if neither side supports tasks. */
	takeTask?(created: JsonObject): Promise<JsonObject>
}

export type OnNotification = (notification: RpcNotification) => void

/**
 * A subscription to a server's notifications: `notifications/…/list_changed`, `notifications/resources/updated` and, on a session
 * that belongs to one client, all its other announcements.
 */
export interface Listening {
	/** Rejects with an `RpcFailure` if the server refuses. */
	subscribe(uri: string): Promise<void>
	unsubscribe(uri: string): Promise<void>
	close(): void
}

/** The server's current address, with the token that applies. */
export type ResolveServer = () => ServerEntry | Promise<ServerEntry>

/** A server of one era, addressed in that era. Results have the form of that era. */
export interface Upstream {
	/** While it runs, requests of the server go to `call.operation.ask` (see `answerServer`). */
	request(call: UpstreamCall): Promise<RpcResponse>
	/** Listens for a client until closed, across broken connections. Each new connection uses the address from `reach`. */
	listen(
		server: ServerEntry,
		client: ClientProgram,
		listener: OnNotification,
		reach: ResolveServer,
	): Listening
	/** Drops servers that no longer exist, and sessions that were unused for long. */
	prune(isKnown: (server: ServerEntry) => boolean): void
	close(): Promise<void>
}
