import { readChallenge } from '../../access/upstream-credentials/upstream-credentials.ts'
import {
	type Cancellation,
	CredentialsRefused,
	type LegacySession,
	RpcFailure,
	type RpcResponse,
	SessionLost,
	sendRequest,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { type ClientProgram, takeStartedExchange } from '../operation.ts'
import {
	type Listening,
	type OnNotification,
	relayedHeaders,
	relayedMeta,
	relayNotification,
	type Upstream,
	type UpstreamCall,
	type UpstreamContext,
} from './upstream.ts'
import type { UpstreamSession } from './upstream-session.ts'
import { UpstreamSessionPool } from './upstream-session-pool.ts'
import type { UpstreamSessions } from './upstream-sessions.ts'

const reattaching = { firstMs: 1000, maxMs: 60_000 }

/**
 * Listens on an upstream session and, if it is lost, on the next one. Anything that may have changed in between is announced once.
 */
export function listenOnSessions(find: () => Promise<UpstreamSession>, listener: OnNotification): Listening {
	const uris = new Set<string>()
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	let failures = 0
	const attach = async (): Promise<Listening> => {
		const upstreamSession = await find()
		upstreamSession.session.then(
			() => {
				failures = 0
			},
			() => {},
		)
		return upstreamSession.listen(listener, reattach)
	}
	const begin = () => {
		const attaching = attach()
		attaching.catch(reattach)
		return attaching
	}
	/** Retries with increasing delay while the server is down. */
	const reattach = () => {
		if (isClosed) return
		timer = setTimeout(
			() => {
				attached = begin()
				attached.then(resubscribe, () => {})
			},
			doubledMs(reattaching, failures),
		).unref()
		failures += 1
	}
	const resubscribe = (listening: Listening) => {
		for (const uri of uris) {
			listening.subscribe(uri).catch(() => uris.delete(uri))
			listener({ kind: 'notification', method: 'notifications/resources/updated', params: { uri } })
		}
	}
	let attached = begin()
	return {
		subscribe: async (uri) => {
			await (await attached).subscribe(uri)
			uris.add(uri)
		},
		unsubscribe: async (uri) => {
			if (uris.delete(uri)) await (await attached).unsubscribe(uri)
		},
		close: () => {
			if (isClosed) return
			isClosed = true
			if (timer) clearTimeout(timer)
			attached.then(
				(listening) => listening.close(),
				() => {},
			)
		},
	}
}

export interface LegacyUpstream extends Upstream {
	/** The open upstream session that a call of this client would use; null if there is none yet. */
	openSession(server: ServerEntry, client: ClientProgram): UpstreamSession | null
	/** Opens the session of a legacy client unless it exists. */
	open(server: ServerEntry, client: ClientProgram): Promise<LegacySession>
	/** Called when a client's session with the gateway has ended. */
	leave(client: ClientProgram): Promise<void>
}

/** Servers of 2024-11-05 to 2025-11-25 over streamable HTTP: one handshake, then requests in its session. */
export function createLegacyUpstream(
	context: UpstreamContext,
	nextId: () => number,
	sessions: UpstreamSessions,
): LegacyUpstream {
	const pool = new UpstreamSessionPool(context, nextId, sessions)
	return {
		request: (call) => requestInSession(context, pool, call, nextId),
		listen: (_server, client, listener, reach) =>
			listenOnSessions(async () => pool.listenedTo(await reach(), client, reach), listener),
		openSession: (server, client) => pool.findOpen(server, client),
		open: (server, client) => pool.ofClient(server, client).session,
		leave: ({ sessionLabel }) => pool.end(sessionLabel),
		prune: (isKnown) => pool.prune(isKnown),
		close: () => pool.close(),
	}
}

/** A session that the server lost, or refuses to a renewed token, is reopened once: the refused request ran nowhere. */
async function requestInSession(
	context: UpstreamContext,
	pool: UpstreamSessionPool,
	call: UpstreamCall,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation } = call
	for (let attempt = 0; attempt < 2; attempt += 1) {
		const upstreamSession = pool.for(call)
		upstreamSession.begin(operation)
		try {
			const session =
				upstreamSession.opened ?? (await unlessCancelled(upstreamSession.session, operation.cancellation))
			return await request(context, call, upstreamSession, session, nextId)
		} catch (error) {
			if (!(error instanceof SessionLost) && !(isRefused(error) && (await upstreamSession.hasOldToken())))
				throw error
			await pool.forget(upstreamSession)
		} finally {
			upstreamSession.end(operation)
		}
	}
	throw upstreamFailure(call.server, 'upstream_session_lost', 'does not keep the sessions that it opens.')
}

function isRefused(error: unknown): boolean {
	const cause = error instanceof RpcFailure ? error.cause : null
	return cause instanceof CredentialsRefused && readChallenge(cause.challenge).error !== 'insufficient_scope'
}

async function request(
	context: UpstreamContext,
	call: UpstreamCall,
	upstreamSession: UpstreamSession,
	session: LegacySession,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation, server, params } = call
	const { method } = operation.request
	const { trace } = operation
	const { headers } = session
	const levelSet = upstreamSession.setLevel(operation)
	if (levelSet !== undefined) await levelSet
	const begun = takeStartedExchange(operation)
	const id = begun?.id ?? nextId()
	operation.sentAs = id
	const { response } = await sendRequest(context, {
		server,
		id,
		method,
		params: { ...params, _meta: relayedMeta(params, id, trace) },
		headers: { ...headers, ...relayedHeaders(trace) },
		idleMs: idleMsOf(context, upstreamSession),
		cancellation: operation.cancellation,
		sending: operation.sending,
		begun,
		onCancel: () =>
			upstreamSession.notify({
				method: 'notifications/cancelled',
				params: { requestId: id, reason: operation.cancellation.failure?.message ?? '' },
			}),
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			if (message === null) upstreamSession.notifyListeners(notification)
			return message === null || operation.reply.notify(message)
		},
		onRequest: (asked) => upstreamSession.answer(operation, asked),
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/** A server that waits for a person's answer is silent meanwhile; a hanging call is ended by the operation's own time limit. */
export function idleMsOf(
	{ limits }: Pick<UpstreamContext, 'limits'>,
	upstreamSession: UpstreamSession,
): number {
	return upstreamSession.mayAsk ? limits.askMs + limits.totalMs : limits.idleMs
}

/** Waits for a shared handshake until this call is cancelled. */
export function unlessCancelled<T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> {
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
