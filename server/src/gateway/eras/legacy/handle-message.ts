import type { IncomingMessage } from 'node:http'
import {
	invalidParams,
	invalidRequest,
	isObject,
	type JsonObject,
	legacyVersions,
	namedFailure,
	type RequestId,
	RpcFailure,
	type RpcMessage,
	type RpcNotification,
	type RpcRequest,
	resultMessage,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import { cachedByHead } from '../../../platform/http1/lane-request.ts'
import type { TraceContext } from '../../../platform/trace/current-trace.ts'
import type { Gateway } from '../../gateway.ts'
import { type McpHttpRequest, newOperation } from '../../mcp-http-request.ts'
import { noteFact, type Operation } from '../../operation.ts'
import type { PeerMessage } from '../../peer-messages.ts'
import { introduce } from '../../perform/introduce.ts'
import { askForResource, planWithResource } from '../../perform/parts/use-parts.ts'
import { answerWith, ownResult, type Plan, refuseWith } from '../../perform/plan.ts'
import { planOperation } from '../../perform/plan-operation.ts'
import { runRecorded, type StartedOperation } from '../../perform/run-recorded.ts'
import { isLogLevel } from '../../protocol/log-levels.ts'
import { refusalOfEndpoint } from '../../refuse.ts'
import type { Reply } from '../../reply.ts'
import { legacyTaskCapability } from '../../tasks/task.ts'
import type { ClientSession } from './session-store.ts'

/** The version for a handshake: the client's if it is supported, otherwise the newest that has a handshake. */
export function negotiateVersion(asked: unknown): string {
	return legacyVersions.find((version) => version === asked) ?? (legacyVersions[0] as string)
}

/** Clients since 2025-06-18 repeat the version in a header. An unsupported one is refused. */
export function checkVersionHeader(request: IncomingMessage): void {
	if (speaksLegacy(request)) return
	const named = request.headers['mcp-protocol-version']
	throw invalidRequest(
		`The protocol version ${String(named).slice(0, 32)} is not supported; these are: ${legacyVersions.join(', ')}.`,
	)
}

export const speaksLegacy = cachedByHead(({ headers }) => {
	const named = headers['mcp-protocol-version']
	return named === undefined || (typeof named === 'string' && legacyVersions.includes(named.trim()))
})

/** The session that the request names. Without one: 400; for an unknown one: 404, which makes clients repeat the handshake. */
export function requireSession(
	gateway: Gateway,
	httpRequest: Pick<McpHttpRequest, 'request' | 'caller'>,
): ClientSession | Promise<ClientSession> {
	const id = httpRequest.request.headers['mcp-session-id']
	if (typeof id !== 'string' || id === '')
		throw invalidRequest('The header Mcp-Session-Id is missing; begin with `initialize`.')
	const found = gateway.sessions.find(id, httpRequest.caller)
	return found instanceof Promise ? found.then(orNotFound) : orNotFound(found)
}

function orNotFound(session: ClientSession | null): ClientSession {
	if (session) return session
	throw sessionNotFound()
}

export function sessionNotFound(): RpcFailure {
	return namedFailure(
		rpcCodes.sessionNotFound,
		'session_not_found',
		'There is no such session; begin with `initialize`.',
		{ httpStatus: 404 },
	)
}

/** False if the request does not run in this process. */
export function cancelRunning(session: ClientSession, requestId: string): boolean {
	let isHere = false
	for (const [key, call] of session.running) {
		if (key !== requestId && !key.startsWith(`${requestId} `)) continue
		// Reading it makes an operation of a plain call.
		call.cancellation.cancel(cancelled('The client cancelled the request.'))
		isHere = true
	}
	return isHere
}

let repeats = 0

/**
 * The key of a request among the running ones of its session. By the protocol each id is unique, but some programs send the same
 * body repeatedly, and over HTTP each copy still gets its answer. A cancellation then ends all of them.
 */
export function runningKey(session: ClientSession, id: RequestId): string {
	const key = JSON.stringify(id)
	if (!session.running.has(key)) return key
	repeats += 1
	return `${key} ${repeats}`
}

/** Cancels every running request of a session that has ended. */
export function cancelAll(session: ClientSession): void {
	for (const { cancellation } of session.running.values())
		cancellation.cancel(cancelled('The client went away.'))
}

function cancelled(text: string): RpcFailure {
	return namedFailure(rpcCodes.internal, 'cancelled', text, { status: 'interrupted' })
}

/** Handles a message from another process if it concerns this one. */
export function handlePeerMessage(gateway: Gateway, peerMessage: PeerMessage): void {
	gateway.forwarded.take(gateway, peerMessage)
	if (!('sessionId' in peerMessage)) return
	if (peerMessage.kind === 'aside')
		return void gateway.streams.send(peerMessage.sessionId, peerMessage.message)
	const session = gateway.sessions.cached(peerMessage.sessionId)
	if (!session) return
	gateway.inputRequests.takePeerMessage(session, peerMessage)
	if (peerMessage.kind === 'cancel') cancelRunning(session, peerMessage.requestId)
	if (peerMessage.kind !== 'session') return
	gateway.sessions
		.reread(session)
		.then(async (known) => {
			if (!known) {
				cancelAll(session)
				gateway.streams.close(peerMessage.sessionId)
				await gateway.upstreams.leave(session.client)
			} else if (gateway.streams.has(peerMessage.sessionId)) await resumeSubscriptions(gateway, known)
		})
		.catch((error: unknown) => gateway.log.warn({ err: error }, 'gateway: a session could not be reloaded'))
}

const maxSubscriptions = 1000

/**
 * `resources/subscribe`: for callers that may read the resource, at a server of either era. The session stores the subscription.
 */
export function planSubscribe(gateway: Gateway, session: ClientSession, operation: Operation): Plan {
	const { uri } = operation.request.params
	if (typeof uri !== 'string' || uri === '') return refuseWith(invalidParams('`uri` must be text.'))
	if (session.subscriptions.size >= maxSubscriptions)
		return refuseWith(invalidParams(`A session has at most ${maxSubscriptions} subscriptions.`))
	const plan = planWithResource(gateway, operation, uri, () => ({}))
	const run = async () => {
		const choice = await askForResource(gateway, operation.caller, uri)
		await gateway.streams.subscriptionOf(session).subscribe(uri, choice)
		session.subscriptions.add(uri)
		await gateway.sessions.save(session)
		await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
		return ownResult({})
	}
	return { ...plan, run }
}

/** `resources/unsubscribe`: for every caller that may subscribe. */
export function planUnsubscribe(gateway: Gateway, session: ClientSession, operation: Operation): Plan {
	const { uri } = operation.request.params
	if (typeof uri !== 'string') return refuseWith(invalidParams('`uri` must be text.'))
	const answer = async () => {
		await gateway.streams.subscriptionOf(session).unsubscribe(uri)
		if (session.subscriptions.delete(uri)) await gateway.sessions.save(session)
		await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
		return {}
	}
	return answerWith(() => gateway.enforcement.refusalOfAgent(session.agentId), answer)
}

/** Restores the subscriptions of a client that reconnects, to this process or another. */
export async function resumeSubscriptions(gateway: Gateway, session: ClientSession): Promise<void> {
	const subscription = gateway.streams.subscriptionOf(session)
	for (const uri of subscription.uris)
		if (!session.subscriptions.has(uri)) await subscription.unsubscribe(uri)
	const missing = [...session.subscriptions].filter((uri) => !subscription.uris.includes(uri))
	await Promise.allSettled(
		missing.map(async (uri) => subscription.restore(uri, await askForResource(gateway, session, uri))),
	)
}

const introductionLimit = 16 * 1024

/** Reads what a client declares in `initialize`. */
export function readClient(params: JsonObject): {
	protocolVersion: string
	info: JsonObject
	capabilities: JsonObject
	logLevel: null
} {
	return {
		protocolVersion: negotiateVersion(params.protocolVersion),
		info: isObject(params.clientInfo) ? params.clientInfo : {},
		capabilities: isObject(params.capabilities) ? params.capabilities : {},
		logLevel: null,
	}
}

/**
 * `initialize`. `agree` receives the client's declarations before the client is answered, and returns its session.
 */
export function planInitialize(
	gateway: Gateway,
	operation: Operation,
	agree: (client: ReturnType<typeof readClient>) => Promise<ClientSession>,
): Plan {
	const { caller, request } = operation
	if (typeof request.params.protocolVersion !== 'string')
		return refuseWith(invalidParams('`protocolVersion` must be text.'))
	const client = readClient(request.params)
	if (JSON.stringify(client).length > introductionLimit)
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, 'The introduction of the client is too long.'))
	const answer = async () => {
		const { capabilities, serverInfo, instructions } = introduce(gateway, caller)
		const { sessionLabel } = (await agree(client)).client
		noteFact(operation, 'mcp.session.id', sessionLabel)
		return {
			protocolVersion: client.protocolVersion,
			capabilities: {
				...{ logging: {}, ...capabilities, tools: { listChanged: true } },
				...legacyTaskCapability(client),
			},
			serverInfo,
			...(instructions && { instructions }),
		}
	}
	return answerWith(() => refusalOfEndpoint(gateway, caller), answer)
}

/** Handles one message of a session. Anything but a request is accepted without an answer. */
export async function handleMessage(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	session: ClientSession,
	message: RpcMessage,
	reply: Reply,
): Promise<void> {
	if (message.kind === 'request') {
		if (message.method === 'ping') return reply.end(resultMessage(message.id, '{}'), 200)
		return runInSession(gateway, httpRequest, session, message, reply)
	}
	if (message.kind === 'notification') await takeNotification(gateway, session, message)
	else if (
		!gateway.inputRequests.answer(session, message) &&
		gateway.inputRequests.isOurs(session, message.id)
	)
		await gateway.peerMessages.send(session, { kind: 'answer', sessionId: session.id, response: message })
	httpRequest.accept()
}

async function runInSession(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	session: ClientSession,
	request: RpcRequest,
	reply: Reply,
): Promise<void> {
	// On a stream that carries all answers, two with the same id could not be distinguished.
	if (session.isLine && session.running.has(JSON.stringify(request.id)))
		throw invalidRequest('A request with this id is still running.')
	return runSessionOperation(
		gateway,
		httpRequest,
		session,
		operationInSession(gateway, httpRequest, session, request, reply),
	)
}

export function operationInSession(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	session: ClientSession,
	request: RpcRequest,
	reply: Reply,
	trace?: TraceContext,
): Operation {
	const operation = newOperation(httpRequest, session.client, request, reply, trace)
	operation.ask = gateway.inputRequests.askerOf(session, operation)
	operation.sessionId = session.id
	return operation
}

/** Runs an operation of a session, or continues one that began as a plain call (`begun`). */
export async function runSessionOperation(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	session: ClientSession,
	operation: Operation,
	begun?: StartedOperation,
): Promise<void> {
	const key = runningKey(session, operation.request.id)
	session.running.set(key, operation)
	try {
		await runRecorded(
			gateway,
			operation,
			planInSession(gateway, session, operation),
			httpRequest.guard,
			begun,
		)
	} finally {
		session.running.delete(key)
		gateway.inputRequests.endOf(operation)
	}
}

function planInSession(gateway: Gateway, session: ClientSession, operation: Operation): Plan {
	const { method, params } = operation.request
	if (method === 'resources/subscribe') return planSubscribe(gateway, session, operation)
	if (method === 'resources/unsubscribe') return planUnsubscribe(gateway, session, operation)
	if (method !== 'logging/setLevel') return planOperation(gateway, operation)
	const { level } = params
	if (!isLogLevel(level))
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`level` must be a log level of the protocol.'))
	return answerWith(
		() => gateway.enforcement.refusalOfAgent(session.agentId),
		async () => {
			await gateway.sessions.setLogLevel(session, level)
			await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
			return {}
		},
	)
}

/** A cancellation ends a running request; progress is passed to the server that asked. Other notifications have no receiver. */
async function takeNotification(
	gateway: Gateway,
	session: ClientSession,
	{ method, params }: RpcNotification,
): Promise<void> {
	if (method === 'notifications/progress' && !gateway.inputRequests.progress(session, params))
		await gateway.inputRequests.sendProgress(session, params)
	if (method !== 'notifications/cancelled' || params.requestId === undefined) return
	const requestId = JSON.stringify(params.requestId)
	if (!cancelRunning(session, requestId))
		await gateway.peerMessages.send(session, { kind: 'cancel', sessionId: session.id, requestId })
}
