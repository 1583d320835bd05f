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
import { type ClientProgram, takeBegun } from '../operation.ts'
import {
	type Hear,
	type Listening,
	relayedHeaders,
	relayedMeta,
	relayNotification,
	type Upstream,
	type UpstreamCall,
	type UpstreamContext,
} from './upstream.ts'
import { type UpstreamSession, UpstreamSessionPool } from './upstream-session.ts'
import type { UpstreamSessions } from './upstream-sessions.ts'

const reattaching = { firstMs: 1000, longestMs: 60_000 }

/** Listens on a line and, when that is lost, on the next one; what may have changed meanwhile is announced once. */
export function listenOnLines(find: () => Promise<UpstreamSession>, hear: Hear): Listening {
	const uris = new Set<string>()
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	let failures = 0
	const attach = async (): Promise<Listening> => {
		const line = await find()
		line.session.then(
			() => {
				failures = 0
			},
			() => {},
		)
		return line.listen(hear, reattach)
	}
	const begin = () => {
		const attaching = attach()
		attaching.catch(reattach)
		return attaching
	}
	/** A server that is down is tried ever more seldom. */
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
			hear({ kind: 'notification', method: 'notifications/resources/updated', params: { uri } })
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
	/** The open line on which a call of this client would go; null where there is none yet. */
	openLine(server: ServerEntry, client: ClientProgram): UpstreamSession | null
	/** Opens the session of a client of this era, unless there is one. */
	open(server: ServerEntry, client: ClientProgram): Promise<unknown>
	/** A client's session with us is over. */
	leave(client: ClientProgram): Promise<void>
}

/** Servers of 2024-11-05 to 2025-11-25 over streamable HTTP: one handshake, then requests in its session. */
export function createLegacyUpstream(
	context: UpstreamContext,
	nextId: () => number,
	sessions: UpstreamSessions,
): LegacyUpstream {
	const lines = new UpstreamSessionPool(context, nextId, sessions)
	return {
		request: (call) => requestInSession(context, lines, call, nextId),
		listen: (_server, client, hear, reach) =>
			listenOnLines(async () => lines.ofClient(await reach(), client, reach), hear),
		openLine: (server, client) => lines.findOpen(server, client),
		open: (server, client) => lines.ofClient(server, client).session,
		leave: ({ sessionLabel }) => lines.end(sessionLabel),
		prune: (isKnown) => lines.prune(isKnown),
		close: () => lines.close(),
	}
}

/** A session that the server lost, or refuses to a renewed token, is reopened once: the refused request ran nowhere. */
async function requestInSession(
	context: UpstreamContext,
	lines: UpstreamSessionPool,
	call: UpstreamCall,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation } = call
	for (let attempt = 0; attempt < 2; attempt += 1) {
		const line = lines.for(call)
		line.begin(operation)
		try {
			const session = line.opened ?? (await unlessCancelled(line.session, operation.cancellation))
			return await request(context, call, line, session, nextId)
		} catch (error) {
			if (!(error instanceof SessionLost) && !(isRefused(error) && (await line.hasOldToken()))) throw error
			await lines.forget(line)
		} finally {
			line.end(operation)
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
	line: UpstreamSession,
	session: LegacySession,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation, server, params } = call
	const { method } = operation.request
	const { trace } = operation
	const { headers } = session
	const levelSet = line.setLevel(operation)
	if (levelSet !== undefined) await levelSet
	const begun = takeBegun(operation)
	const id = begun?.id ?? nextId()
	const { response } = await sendRequest(context, {
		server,
		id,
		method,
		params: { ...params, _meta: relayedMeta(params, id, trace) },
		headers: { ...headers, ...relayedHeaders(trace) },
		idleMs: idleMsOf(context, line),
		cancellation: operation.cancellation,
		sending: operation.sending,
		begun,
		onCancel: () =>
			line.tell({
				method: 'notifications/cancelled',
				params: { requestId: id, reason: operation.cancellation.failure?.message ?? '' },
			}),
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			if (message === null) line.hear(notification)
			return message === null || operation.reply.notify(message)
		},
		onRequest: (asked) => line.answer(operation, asked),
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/** A server that waits for a person says nothing meanwhile; the operation's own clock ends what hangs. */
export function idleMsOf({ limits }: Pick<UpstreamContext, 'limits'>, line: UpstreamSession): number {
	return line.mayAsk ? limits.askMs + limits.totalMs : limits.idleMs
}

/** Waits for a handshake that others share, as long as this one call wants it. */
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
