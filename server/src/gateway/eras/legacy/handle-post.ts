import {
	batchVersion,
	type ClientBody,
	errorMessage,
	failureOf,
	idOf,
	invalidRequest,
	type RpcMessage,
	type RpcRequest,
	readMessage,
} from '../../../mcp-client/index.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { listeningCheck } from '../../listening/client-subscription.ts'
import { type McpHttpRequest, newOperation } from '../../mcp-http-request.ts'
import type { ClientProgram } from '../../operation.ts'
import { runRecorded } from '../../perform/run-recorded.ts'
import { CollectedReply, HttpReply, takesEvents } from '../../reply.ts'
import { claimsModern } from '../modern/handle-post.ts'
import {
	cancelAll,
	checkVersionHeader,
	handleMessage,
	planInitialize,
	readClient,
	requireSession,
	resumeSubscriptions,
} from './handle-message.ts'
import { openSseStream, opensSseStream, postToSseStream, sseSessionIn } from './sse-2024/sse-stream.ts'

/** A batch of messages, as in protocol 2025-03-26. Its answers are sent together, in the order of the requests. */
export async function handleBatch(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	batch: unknown[],
): Promise<void> {
	if (batch.length === 0 || batch.length > gateway.limits.batchSize)
		throw invalidRequest(`A batch has 1 to ${gateway.limits.batchSize} messages.`)
	const session = await requireSession(gateway, httpRequest)
	if (session.client.protocolVersion !== batchVersion)
		throw invalidRequest(`Batches exist in protocol ${batchVersion} only.`)
	// Each of them waits for the client to leave.
	httpRequest.response.setMaxListeners(0)
	const answers = await Promise.all(
		batch.map((entry) => {
			// Each message is recorded with its own size.
			const bodyBytes = Buffer.byteLength(JSON.stringify(entry))
			const own = httpRequest.with({ accept: () => {}, bodyBytes })
			return answerOf(entry, (message, reply) => handleMessage(gateway, own, session, message, reply))
		}),
	)
	const parts = answers.filter((answer) => answer !== '')
	if (parts.length === 0) return httpRequest.accept()
	httpRequest.answer(`[${parts.join(',')}]`, 200)
}

/** An entry that is no valid message is answered with an error of its own, like every other one (JSON-RPC 2.0 §6). */
async function answerOf(
	entry: unknown,
	handle: (message: RpcMessage, reply: CollectedReply) => Promise<void>,
): Promise<string> {
	const reply = new CollectedReply()
	try {
		const message = readMessage(entry)
		if (message.kind === 'request' && message.method === 'initialize')
			throw invalidRequest('`initialize` stands alone.')
		await handle(message, reply)
		return reply.message
	} catch (error) {
		return errorMessage(idOf(entry), failureOf(error))
	}
}

/** A POST of a legacy client (protocol 2024-11-05 to 2025-11-25), in a session or with its handshake. */
export async function handleLegacyPost(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	body: ClientBody,
): Promise<void> {
	const sseSession = sseSessionIn(httpRequest)
	if (sseSession !== null) return postToSseStream(gateway, httpRequest, body, sseSession)
	const message = Array.isArray(body) ? null : body
	// In a handshake the version is in the body.
	if (message?.kind === 'request' && message.method === 'initialize')
		return handleInitialize(gateway, httpRequest, message)
	checkVersionHeader(httpRequest.request)
	if (message === null) return handleBatch(gateway, httpRequest, body as unknown[])
	const session = await requireSession(gateway, httpRequest)
	await handleMessage(
		gateway,
		httpRequest,
		session,
		message,
		new HttpReply(httpRequest.response, httpRequest.request.headers.accept),
	)
}

async function handleInitialize(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	request: RpcRequest,
): Promise<void> {
	const client: ClientProgram = { era: 'legacy', ...readClient(request.params), sessionLabel: '' }
	const operation = newOperation(httpRequest, client, request, new HttpReply(httpRequest.response, undefined))
	const plan = planInitialize(gateway, operation, async (ofClient) => {
		const session = await gateway.sessions.create(httpRequest.caller, ofClient)
		httpRequest.response.setHeader('mcp-session-id', session.id)
		return session
	})
	await runRecorded(gateway, operation, plan, httpRequest.guard)
}

/** GET: the stream for messages that no request asked for. It ends when the caller may no longer listen. */
export async function openStream(gateway: Gateway, httpRequest: McpHttpRequest): Promise<void> {
	refuseModern(httpRequest)
	checkVersionHeader(httpRequest.request)
	if (opensSseStream(httpRequest.request)) return openSseStream(gateway, httpRequest)
	if (httpRequest.request.method === 'HEAD' || !takesEvents(httpRequest.request.headers.accept)) {
		throw new Problem('method_not_allowed', 'GET opens an event stream; send `Accept: text/event-stream`.', {
			headers: { allow: 'POST, GET, DELETE' },
		})
	}
	const session = await requireSession(gateway, httpRequest)
	const check = listeningCheck(gateway, httpRequest)
	const problem = check()
	if (problem) throw problem
	const lastEventId = httpRequest.request.headers['last-event-id']
	gateway.streams.open(session, httpRequest.response, typeof lastEventId === 'string' ? { lastEventId } : {})
	httpRequest.guard(check, () => gateway.streams.close(session.id))
	await resumeSubscriptions(gateway, session)
}

/** DELETE: ends a session, its stream and its running requests: their client could neither answer their servers nor cancel them. */
export async function endSession(gateway: Gateway, httpRequest: McpHttpRequest): Promise<void> {
	refuseModern(httpRequest)
	checkVersionHeader(httpRequest.request)
	const session = await requireSession(gateway, httpRequest)
	cancelAll(session)
	gateway.streams.close(session.id)
	await gateway.sessions.end(session)
	await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
	void gateway.upstreams.leave(session.client)
	httpRequest.response.writeHead(204).end()
}

/** The modern era has neither sessions nor standalone streams. */
function refuseModern({ request }: McpHttpRequest): void {
	if (claimsModern(request, {}))
		throw new Problem('method_not_allowed', 'Protocol 2026-07-28 allows POST only.', {
			headers: { allow: 'POST' },
		})
}
