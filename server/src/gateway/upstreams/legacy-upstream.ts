import type { Cancellation } from '../cancellation.ts'
import type { RpcRequest, RpcResponse } from '../json-rpc/message.ts'
import { traceparentOf } from '../trace-context.ts'
import { type LegacySession, LegacySessions } from './legacy-session.ts'
import { relayedMeta } from './meta.ts'
import { relayNotification } from './relay-notification.ts'
import { type SendContext, sendAndForget, sendRequest } from './send.ts'
import type { Upstream, UpstreamCall } from './upstream.ts'
import { SessionLost, upstreamFailure } from './upstream-failure.ts'

/** Servers of 2024-11-05 to 2025-11-25 over streamable HTTP: one handshake, then requests in its session. */
export function createLegacyUpstream(context: SendContext, nextId: () => number): Upstream {
	const sessions = new LegacySessions(context, nextId)
	return {
		request: (call) => requestInSession(context, sessions, call, nextId),
		describe: async (server) => (await sessions.of(server)).description,
		prune: (isKnown) => sessions.prune(isKnown),
		close: () => sessions.close(),
	}
}

/** A session that the server lost is opened anew once: the refused request ran nowhere. */
async function requestInSession(
	context: SendContext,
	sessions: LegacySessions,
	call: UpstreamCall,
	nextId: () => number,
): Promise<RpcResponse> {
	const { server, operation } = call
	for (let attempt = 0; attempt < 2; attempt += 1) {
		const opening = sessions.of(server)
		const session = await unlessCancelled(opening, operation.cancellation)
		try {
			return await request(context, call, session, nextId())
		} catch (error) {
			if (!(error instanceof SessionLost)) throw error
			sessions.forget(server.id, opening)
		}
	}
	throw upstreamFailure(server, 'upstream_session_lost', 'does not keep the sessions that it opens.')
}

async function request(
	context: SendContext,
	call: UpstreamCall,
	session: LegacySession,
	id: number,
): Promise<RpcResponse> {
	const { operation, server, params } = call
	const traceparent = traceparentOf(operation.trace)
	const tell = (message: object) =>
		void sendAndForget(context, server, session.headers, { jsonrpc: '2.0', ...message })
	const { response } = await sendRequest(context, {
		server,
		id,
		method: operation.request.method,
		params: { ...params, _meta: relayedMeta(params, id, traceparent) },
		headers: { ...session.headers, traceparent },
		idleMs: context.limits.idleMs,
		cancellation: operation.cancellation,
		onCancel: () =>
			tell({
				method: 'notifications/cancelled',
				params: { requestId: id, reason: operation.cancellation.failure?.message ?? '' },
			}),
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			return message === null || operation.reply.notify(message)
		},
		onRequest: (asked) => tell(answerTo(asked)),
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/** A server that asks back gets a clear no at once, so that it does not wait. */
function answerTo({ id, method }: RpcRequest): object {
	if (method === 'ping') return { id, result: {} }
	return {
		id,
		error: {
			code: -32601,
			message: `The client behind this gateway cannot be asked for ${method.slice(0, 64)}.`,
		},
	}
}

/** Waits for a handshake that others share, as long as this one call wants it. */
function unlessCancelled<T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> {
	return new Promise((resolve, reject) => {
		cancellation.handOver(reject)
		promise.then(
			(value) => {
				cancellation.handOver(null)
				resolve(value)
			},
			(error: unknown) => {
				cancellation.handOver(null)
				reject(error)
			},
		)
	})
}
