import type { IncomingMessage, ServerResponse } from 'node:http'
import {
	type ClientBody,
	errorMessage,
	failureOf,
	invalidRequest,
	type RpcRequest,
} from '../../../../mcp-client/index.ts'
import type { Gateway } from '../../../gateway.ts'
import { listeningCheck } from '../../../listening/client-subscription.ts'
import { type McpHttpRequest, newOperation } from '../../../mcp-http-request.ts'
import type { ClientProgram } from '../../../operation.ts'
import { runRecorded } from '../../../perform/run-recorded.ts'
import { type Reply, takesEvents } from '../../../reply.ts'
import { cancelAll, handleMessage, planInitialize, readClient, sessionNotFound } from '../handle-message.ts'
import type { ClientSession } from '../session-store.ts'

type Ways = Pick<Gateway, 'peerMessages' | 'streams'>

/** Sends the answers of the 2024 transport on the stream of their session, in whichever process holds it. */
export class SseReply implements Reply {
	readonly #ways: Ways
	readonly #session: ClientSession
	#lastPeerMessage: Promise<void> = Promise.resolve()
	readonly takesMessages = true
	#bytes = 0

	constructor(ways: Ways, session: ClientSession) {
		this.#ways = ways
		this.#session = session
	}

	notify(message: string): boolean {
		this.#send(message)
		return !this.#stream?.writableNeedDrain
	}

	onDrain(resume: () => void): void {
		const stream = this.#stream
		if (stream) stream.once('drain', resume)
		else resume()
	}

	/** The stream carries other messages too, so only the messages of this answer are counted. */
	bytesWith(message: string): number {
		return this.#bytes + Buffer.byteLength(message)
	}

	end(message: string): void {
		if (message) this.#send(message)
	}

	/** The stream sends its own keep-alive messages. */
	heartbeat(): void {}

	get #stream(): ServerResponse | null {
		return this.#ways.streams.responseOf(this.#session.id)
	}

	#send(message: string): void {
		const { streams, peerMessages } = this.#ways
		const { id: sessionId } = this.#session
		this.#bytes += Buffer.byteLength(message)
		if (streams.send(sessionId, message)) return
		// Sent one after the other, so that messages arrive in order.
		this.#lastPeerMessage = this.#lastPeerMessage
			.then(() => peerMessages.send(this.#session, { kind: 'aside', sessionId, message }))
			.catch(() => {})
	}
}

const version = '2024-11-05'
/** The query field that names the session in the address to which a client of this transport posts. */
export const sessionField = 'session_id'

/**
 * Whether a GET opens the 2024 transport, which starts with it. A client of a later transport has a session by then. The version
 * header says nothing, because some clients send one with every request.
 */
export function opensSseStream({ method, headers }: IncomingMessage): boolean {
	return method === 'GET' && headers['mcp-session-id'] === undefined && takesEvents(headers.accept)
}

/**
 * Opens the stream that carries all messages, including answers. Its first event says where to post. The session ends with it.
 */
export async function openSseStream(gateway: Gateway, httpRequest: McpHttpRequest): Promise<void> {
	const check = listeningCheck(gateway, httpRequest)
	const problem = check()
	if (problem) throw problem
	const nobody = { protocolVersion: version, info: {}, capabilities: {}, logLevel: null }
	const session = await gateway.sessions.create(httpRequest.caller, nobody, 'sse-2024')
	const end = () => {
		endLine(gateway, session).catch((error: unknown) =>
			gateway.log.warn({ err: error }, 'gateway: a session was not ended'),
		)
	}
	if (httpRequest.response.destroyed) return end()
	// Each call that waits for the client to read adds a listener.
	httpRequest.response.setMaxListeners(0).once('close', end)
	gateway.streams.open(session, httpRequest.response, { greeting: greeting(gateway, httpRequest, session) })
	httpRequest.guard(check, () => gateway.streams.close(session.id))
}

/** Contains the path of the public address, because some clients resolve no other relative address. */
function greeting(gateway: Gateway, { request }: McpHttpRequest, { id }: ClientSession): string {
	const [path = ''] = (request.url ?? '').split('?')
	return `event: endpoint\ndata: ${gateway.basePath()}${path}?${sessionField}=${id}\n\n`
}

async function endLine(gateway: Gateway, session: ClientSession): Promise<void> {
	cancelAll(session)
	gateway.streams.close(session.id)
	await gateway.sessions.end(session)
	await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
	await gateway.upstreams.leave(session.client)
}

/** The session that a POST of the 2024 transport names in its query, or null for another transport. */
export function sseSessionIn({ request, search }: Pick<McpHttpRequest, 'request' | 'search'>): string | null {
	if (search === '' || request.headers['mcp-session-id'] !== undefined) return null
	return new URLSearchParams(search).get(sessionField)
}

/** Accepts a message of the 2024 transport at once. Its answer is sent on the stream of its session. */
export async function postToSseStream(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	message: ClientBody,
	id: string,
): Promise<void> {
	const session = await gateway.sessions.find(id, httpRequest.caller)
	if (!session?.isLine || !mayHaveStream(gateway, session)) throw sessionNotFound()
	if (Array.isArray(message)) throw invalidRequest('Send each message by itself.')
	httpRequest.accept()
	const reply = new SseReply(gateway, session)
	// The request that carried the message ends here, so the ingress does not watch what follows.
	const watched: (() => void)[] = []
	const beside = httpRequest.with({
		accept: () => {},
		onGone: () => {},
		guard: (check, abort) => void watched.push(gateway.posted.add({ check, abort })),
	})
	try {
		if (message.kind === 'request' && message.method === 'initialize')
			await initialize(gateway, beside, session, message, reply)
		else await handleMessage(gateway, beside, session, message, reply)
	} catch (error) {
		if (message.kind === 'request') reply.end(errorMessage(message.id, failureOf(error)))
		else gateway.log.warn({ err: error }, 'gateway: an accepted message could not be handled')
	} finally {
		for (const end of watched) end()
	}
}

/** False if no process can have the stream. Another process may have it if there is one. */
function mayHaveStream({ streams, peerMessages }: Gateway, { id }: ClientSession): boolean {
	return peerMessages.hasReaders || streams.responseOf(id) !== null
}

async function initialize(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	session: ClientSession,
	request: RpcRequest,
	reply: SseReply,
): Promise<void> {
	const client: ClientProgram = { ...session.client, ...readClient(request.params) }
	const operation = newOperation(httpRequest, client, request, reply)
	const plan = planInitialize(gateway, operation, async (ofClient) => {
		session.client = { ...session.client, ...ofClient }
		await gateway.sessions.save(session)
		await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
		return session
	})
	await runRecorded(gateway, operation, plan, httpRequest.guard)
}
