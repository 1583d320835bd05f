import { randomInt } from 'node:crypto'
import type { Dispatcher } from 'undici'
import {
	type Era,
	eraOf,
	isObject,
	type JsonObject,
	LingeringExchanges,
	type RpcFailure,
	SseDispatcher,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { createCounter } from '../../platform/ids.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { Limits } from '../limits.ts'
import type { ClientProgram, TokenOwner } from '../operation.ts'
import type { PlanResult } from '../perform/plan.ts'
import { invalidState, type RequestStates } from '../request-states.ts'
import { requestInRounds, toEra } from './answer-rounds.ts'
import { ClientEras } from './client-era.ts'
import { createLegacyUpstream, unlessCancelled } from './legacy-upstream.ts'
import { createModernUpstream } from './modern-upstream.ts'
import { findPlainCallSender, type PlainCallSender } from './plain-call-sender.ts'
import type {
	AskBetweenCalls,
	Listening,
	OnNotification,
	OnOwnNotification,
	ResolveServer,
	UpstreamCall,
} from './upstream.ts'
import { hasId } from './upstream-session.ts'
import type { UpstreamSessions } from './upstream-sessions.ts'
import { type Brokered, missingConsent, reachFor, withCredential } from './with-credential.ts'

const backOff = { firstMs: 1000, maxMs: 60_000 }

/** Listens as soon as possible: a token may be missing until a user consents. Until then, subscribing fails. */
export function listenWhenPossible(open: () => Promise<Listening>): Listening {
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	let failures = 0
	const begin = () => {
		const beginning = open()
		beginning.catch(() => {
			if (!isClosed) timer = setTimeout(again, doubledMs(backOff, failures)).unref()
			failures += 1
		})
		return beginning
	}
	const again = () => {
		opened = begin()
	}
	let opened = begin()
	return {
		subscribe: async (uri) => (await opened).subscribe(uri),
		unsubscribe: async (uri) => (await opened).unsubscribe(uri),
		close: () => {
			if (isClosed) return
			isClosed = true
			if (timer) clearTimeout(timer)
			opened.then(
				(listening) => listening.close(),
				() => {},
			)
		},
	}
}

/** All servers behind the gateway, of either era. */
export interface Upstreams {
	/** Resolves with the result in the form of the client's era. Rejects with the failure for the client. */
	request(call: UpstreamCall): Promise<PlanResult>
	/** Sends a request of the gateway itself. Resolves with the server's own result; rejects like `request`. */
	ask(call: UpstreamCall): Promise<JsonObject>
	/** How plain calls of this client to a tool are sent; null if each needs more than sending. */
	plainCallSender(server: ServerEntry, client: ClientProgram, tool: string): PlainCallSender | null
	/** The id of the next request. */
	nextId(): number
	/** Streams that continue after their answer. */
	readonly lingering: LingeringExchanges
	/** Converts a result that was received in another way to the client's era. */
	finish(call: UpstreamCall, result: JsonObject): PlanResult
	/** Like `Upstream.listen`, with the owner's token. Throws for a server that cannot be reached now. */
	listen(server: ServerEntry, client: ClientProgram, owner: TokenOwner, listener: OnNotification): Listening
	/**
	 * Whose token is sent to a server on behalf of these: callers with the same owner share its answers. '' if no individual
	 * token is sent.
	 */
	ownerOf(server: ServerEntry, owner: TokenOwner): string
	/** The consent that is missing before these can use a server, as the failure of a call; null if none is missing. */
	missingConsent(server: ServerEntry, owner: TokenOwner): RpcFailure | null
	/** Called when a legacy client's session has ended: ends its sessions with servers. */
	leave(client: ClientProgram): Promise<void>
	/** Housekeeping, called about every 5 s. */
	sweep(isKnown: (server: ServerEntry) => boolean): void
	close(): Promise<void>
}

interface UpstreamsOptions {
	dispatcher: Dispatcher
	limits: Limits
	clock: Clock
	states: RequestStates
	sessions: UpstreamSessions
	brokered: Brokered
	onOwnNotification: OnOwnNotification
	askBetweenCalls: AskBetweenCalls
	sharesSessions: boolean
}

export function createUpstreams({
	dispatcher,
	limits,
	clock,
	states,
	sessions,
	brokered,
	onOwnNotification,
	askBetweenCalls,
	sharesSessions,
}: UpstreamsOptions): Upstreams {
	// Processes share sessions, which also outlive a restart. Two running requests of a session with the same id would get each other's
	// answers, so each process counts from another number. Some servers take ids of 32 bits only.
	const nextId = createCounter(randomInt(2 ** 30))
	const lingering = new LingeringExchanges()
	const sse = new SseDispatcher(dispatcher, limits)
	const ofGateway = { onOwnNotification, askBetweenCalls, sharesSessions }
	const context = { dispatcher: sse, clock, limits, lingering, ...ofGateway }
	const legacy = createLegacyUpstream(context, nextId, sessions)
	const modern = createModernUpstream(context, nextId)
	const clientEras = new ClientEras(clock, legacy.open)
	const upstreamOf = (server: ServerEntry) => {
		if (server.protocolVersion === null)
			throw upstreamFailure(server, 'upstream_unreachable', 'was never reached; its tools are not known.')
		return eraOf(server.protocolVersion) === 'modern' ? modern : legacy
	}
	/**
	 * A server of both eras is watched in the client's, unless it supports subscriptions only in its own (Python's SDK 2) or keeps no
	 * sessions, and so cannot announce anything outside a call (the SDKs for Go and Rust, stateless).
	 */
	const watchedIn = async (server: ServerEntry, client: ClientProgram) => {
		const entry = await clientEras.of(server, client)
		if (entry === server) return server
		const session = await legacy.open(entry, client)
		const { resources } = session.capabilities
		return hasId(session) && isObject(resources) && resources.subscribe === true ? entry : server
	}
	return {
		request: async (call) => {
			let spoken = call
			const send = (carried: UpstreamCall, server: ServerEntry) => {
				spoken = server === carried.server ? carried : { ...carried, server }
				const params = withoutRounds(spoken, eraOf(server.protocolVersion ?? ''))
				return requestInRounds(upstreamOf(server), params === spoken.params ? spoken : { ...spoken, params })
			}
			const result = await withCredential(brokered, call, (carried) => {
				const server = clientEras.of(carried.server, carried.operation.client)
				if (!(server instanceof Promise)) return send(carried, server)
				return unlessCancelled(server, carried.operation.cancellation).then((it) => send(carried, it))
			})
			return toEra(spoken, states, isTask(result) ? await takeTask(call, result) : result)
		},
		ask: (call) =>
			withCredential(brokered, call, (carried) => requestInRounds(upstreamOf(carried.server), carried)),
		plainCallSender: (server, client, tool) =>
			brokered.source?.isBrokered(server.id)
				? null
				: findPlainCallSender(context, legacy, server, client, tool),
		nextId,
		lingering,
		finish: (call, result) => toEra(call, states, result),
		listen: (server, client, owner, listener) => {
			const own = reachFor(brokered, server, owner)
			// Changes of lists are received for all clients together, in the server's own era.
			const inEra = (it: ServerEntry) => (client.sessionLabel === '' ? it : watchedIn(it, client))
			const reach = own ? async () => inEra(await own()) : () => inEra(server)
			const listen = (it: ServerEntry) => upstreamOf(it).listen(it, client, listener, reach)
			upstreamOf(server)
			let first: ReturnType<ResolveServer> | null = reach()
			if (!(first instanceof Promise)) return listen(first)
			return listenWhenPossible(async () => {
				const reached = first ?? reach()
				first = null
				return listen(await reached)
			})
		},
		ownerOf: (server, owner) => brokered.source?.ownerOf(server, owner) ?? '',
		missingConsent: (server, owner) => missingConsent(brokered, server, owner),
		leave: (client) => legacy.leave(client),
		sweep: (isKnown) => {
			lingering.sweep()
			legacy.prune(isKnown)
			modern.prune(isKnown)
			clientEras.prune()
		},
		close: async () => {
			await Promise.all([legacy.close(), modern.close()])
		},
	}
}

/** In the legacy era a result contains the task, in the modern one the result is the task. */
function isTask({ resultType, task }: JsonObject): boolean {
	return resultType === 'task' || (isObject(task) && typeof task.taskId === 'string')
}

function takeTask({ server, takeTask }: UpstreamCall, created: JsonObject): Promise<JsonObject> {
	if (takeTask) return takeTask(created)
	throw upstreamFailure(server, 'upstream_invalid_answer', 'answered with a task that nobody asked for.')
}

/**
 * Removes the fields of a retry unless they belong to this server: answers go only to modern servers, and state only to the
 * server that issued it.
 */
function withoutRounds({ operation, server, params }: UpstreamCall, era: Era): JsonObject {
	if (params.requestState === undefined && params.inputResponses === undefined && !operation.serverState)
		return params
	const { requestState, inputResponses, ...plain } = params
	const { serverState, client } = operation
	if (serverState && serverState.serverId !== server.id) throw invalidState('belongs to another server')
	if (era === 'legacy' || client.era === 'legacy') return plain
	return {
		...plain,
		...(inputResponses !== undefined && { inputResponses }),
		...(serverState && serverState.state !== null && { requestState: serverState.state }),
	}
}
