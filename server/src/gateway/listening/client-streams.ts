import type { ServerResponse } from 'node:http'
import type { RpcNotification } from '../../mcp-client/index.ts'
import type { ClientSession } from '../eras/legacy/session-store.ts'
import type { Subscriber } from '../gateway.ts'
import {
	allLists,
	ClientSubscription,
	changedList,
	EventBuffer,
	type ListeningContext,
	renewList,
} from './client-subscription.ts'
import type { VisibleLists } from './visible-lists.ts'

interface SessionStream {
	session: ClientSession
	subscription: ClientSubscription
	events: EventBuffer
	/** Null while the client is not connected. */
	response: ServerResponse | null
	leftAtMs: number
	/** Whether an answer was sent on it. */
	hasAnswered: boolean
}

interface ListenStream {
	subscription: ClientSubscription
	response: ServerResponse
	/** Ends the stream in the form of its protocol era. */
	end(): void
}

/** The first version in which a client expects an event without data. */
const primedFrom = '2025-11-25'
/** How long a client may be disconnected and still receive what it missed. */
const awayMs = 60_000

/**
 * The streams that carry server messages which no request asked for: GET of legacy sessions, `subscriptions/listen` of modern clients.
 */
export class ClientStreams {
	readonly #context: ListeningContext
	readonly #sessions = new Map<string, SessionStream>()
	readonly #listens = new Set<ListenStream>()

	constructor(context: ListeningContext) {
		this.#context = context
	}

	/** The subscription of a session, with or without a stream. */
	subscriptionOf(session: ClientSession): ClientSubscription {
		return this.#of(session).subscription
	}

	/** Whether a client is connected, or was connected recently. */
	has(sessionId: string): boolean {
		return this.#sessions.has(sessionId)
	}

	/** Opens the stream of a session. A newer stream replaces an older one, because the client has reconnected. */
	open(
		session: ClientSession,
		response: ServerResponse,
		{ lastEventId, greeting = ': open\n\n' }: { lastEventId?: string; greeting?: string },
	): void {
		const stream = this.#of(session)
		stream.response?.end()
		stream.response = response
		response.writeHead(200, eventStream)
		response.write(greeting)
		if (lastEventId) this.#replay(stream, response, lastEventId)
		// Older clients read the data of every event as JSON.
		else if (session.client.protocolVersion >= primedFrom) response.write(stream.events.primer)
		response.once('close', () => {
			if (stream.response !== response) return
			stream.response = null
			stream.leftAtMs = this.#context.clock.nowMs()
		})
	}

	/** Sends a message on a session's stream; false when it has none. */
	send(sessionId: string, message: string): boolean {
		const stream = this.#sessions.get(sessionId)
		if (!stream?.response) return false
		stream.hasAnswered = true
		stream.response.write(stream.events.add(message))
		return true
	}

	/** The stream of a session while its client is connected to this program. */
	responseOf(sessionId: string): ServerResponse | null {
		return this.#sessions.get(sessionId)?.response ?? null
	}

	/** The sessions whose clients are connected to this program. */
	*connected(): Iterable<string> {
		for (const [id, { response }] of this.#sessions) if (response) yield id
	}

	/**
	 * Passes on what a server has sent to one client, on the client's session or on the stream of a call. That tools have changed goes to
	 * that client alone: the others are notified when the tools that they see differ. That another list has changed goes to everybody who
	 * watches the server, since such lists are not compared. Anything else is for that client alone.
	 */
	forward(serverId: string, sessionId: string | undefined, notification: RpcNotification): void {
		const stream = sessionId === undefined ? undefined : this.#sessions.get(sessionId)
		const name = changedList(notification)
		if (name !== null) {
			const hearers = name === 'tools' ? [stream?.subscription] : this.#watching(serverId)
			for (const hearer of hearers) void hearer?.hearOfList(serverId, name)
			if (!hearers[0]) void renewList(this.#context, serverId, name)
			// A server can log faster than a client reads.
		} else if (!stream?.response?.writableNeedDrain) stream?.subscription.forward(serverId, notification)
	}

	/** Notifies everybody who watches the server that a list is no longer what it was. */
	announceList(serverId: string, name: 'prompts' | 'resources'): void {
		for (const subscription of this.#watching(serverId)) subscription.notifyListChanged(name)
	}

	/** Ends the stream of a session. */
	close(sessionId: string): void {
		const stream = this.#sessions.get(sessionId)
		this.#sessions.delete(sessionId)
		stream?.subscription.close()
		stream?.response?.end()
	}

	/** A modern client's stream, which ends with its connection. */
	listen(subscriber: Subscriber, response: ServerResponse, end: () => void): ClientSubscription {
		const stream = { subscription: new ClientSubscription(this.#context, subscriber), response, end }
		this.#listens.add(stream)
		response.once('close', () => {
			this.#listens.delete(stream)
			stream.subscription.close()
		})
		return stream.subscription
	}

	/** Call it when permissions or servers have changed. */
	recheck(): void {
		const known = new Map<string, VisibleLists>()
		for (const { subscription } of this.#sessions.values()) subscription.recheck(known)
		for (const { subscription } of this.#listens) subscription.recheck(known)
	}

	heartbeat(): void {
		for (const { response } of this.#sessions.values()) response?.write(': alive\n\n')
		for (const { response } of this.#listens) response.write(': alive\n\n')
	}

	/** Forgets sessions whose client did not reconnect. */
	tick(): void {
		const before = this.#context.clock.nowMs() - awayMs
		for (const [id, { response, leftAtMs }] of this.#sessions)
			if (!response && leftAtMs < before) this.close(id)
	}

	closeAll(): void {
		for (const id of [...this.#sessions.keys()]) this.close(id)
		for (const { end } of [...this.#listens]) end()
	}

	#watching(serverId: string): ClientSubscription[] {
		return [...this.#sessions.values(), ...this.#listens]
			.map(({ subscription }) => subscription)
			.filter((subscription) => subscription.watches(serverId))
	}

	#of(session: ClientSession): SessionStream {
		const known = this.#sessions.get(session.id)
		if (known) return known
		const events = new EventBuffer()
		const stream: SessionStream = {
			session,
			events,
			response: null,
			leftAtMs: this.#context.clock.nowMs(),
			hasAnswered: false,
			subscription: new ClientSubscription(this.#context, {
				caller: session,
				get client() {
					return session.client
				},
				lists: allLists,
				notify: (method, params) => {
					// The Java SDK opens a stream before it has a session, which looks like the transport of 2024, and then one of its session.
					if (session.isLine && !stream.hasAnswered) return
					const text = events.add(JSON.stringify({ jsonrpc: '2.0', method, params }))
					stream.response?.write(text)
				},
			}),
		}
		this.#sessions.set(session.id, stream)
		return stream
	}

	/** Event IDs of another process do not tell what was missed, so everything may have changed. */
	#replay({ subscription, events }: SessionStream, response: ServerResponse, lastEventId: string): void {
		const missed = events.after(lastEventId)
		for (const text of missed ?? []) response.write(text)
		if (missed) return
		for (const name of allLists) subscription.subscriber.notify(`notifications/${name}/list_changed`, {})
		for (const uri of subscription.uris)
			subscription.subscriber.notify('notifications/resources/updated', { uri })
	}
}

export const eventStream = {
	'content-type': 'text/event-stream',
	'cache-control': 'no-store, no-transform',
	'x-accel-buffering': 'no',
}
