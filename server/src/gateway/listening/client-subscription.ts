import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { isSameTarget, type RpcNotification } from '../../mcp-client/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { Gateway, ListName, Subscriber } from '../gateway.ts'
import type { McpHttpRequest } from '../mcp-http-request.ts'
import type { ResourceChoice } from '../perform/parts/use-parts.ts'
import { severityOf } from '../protocol/log-levels.ts'
import type { Listening } from '../upstreams/upstream.ts'
import { hasListChanged, serversAt, type VisibleLists, visibleLists } from './visible-lists.ts'

const maxKept = 100

/** The newest events of a stream, so that a client that reconnects receives what it missed. */
export class EventBuffer {
	readonly #epoch = randomBytes(8).toString('base64url')
	readonly #events: { id: number; text: string }[] = []
	#last = 0

	/** A message as an event with an ID. */
	add(message: string): string {
		this.#last += 1
		const text = `event: message\nid: ${this.#epoch}-${this.#last}\ndata: ${message}\n\n`
		this.#events.push({ id: this.#last, text })
		if (this.#events.length > maxKept) this.#events.shift()
		return text
	}

	/** An event without data, so that a client knows where to continue before it has received any (2025-11-25). */
	get primer(): string {
		return `id: ${this.#epoch}-${this.#last}\ndata: \n\n`
	}

	/** The events after this one; null if it is unknown here or too old. */
	after(eventId: string): string[] | null {
		const [, epoch, id] = /^(.+)-(\d+)$/.exec(eventId) ?? []
		const oldest = this.#last - this.#events.length
		if (epoch !== this.#epoch || Number(id) < oldest) return null
		return this.#events.filter((event) => event.id > Number(id)).map(({ text }) => text)
	}
}

/** Why the caller may no longer listen, or null. */
export function listeningCheck(
	gateway: Gateway,
	{ caller }: Pick<McpHttpRequest, 'caller'>,
): () => Problem | null {
	return () => {
		const problem = gateway.stillValid(caller.principal)
		if (problem) return problem
		const refusal = gateway.enforcement.refusalOfAgent(caller.agentId)
		return refusal && new Problem('agent_not_active', refusal.message)
	}
}

/** What subscriptions depend on. */
export interface ListeningContext
	extends Pick<Gateway, 'enforcement' | 'catalog' | 'upstreams' | 'log' | 'clock'> {
	/** Refreshes a server's tools. Changes arrive like changes of permissions. */
	refreshTools(serverId: string): Promise<void>
}

export const allLists: ReadonlySet<ListName> = new Set(['tools', 'prompts', 'resources'])

/** The list that a notification announces as changed, or null for other notifications. */
export function changedList({ method }: RpcNotification): ListName | null {
	for (const name of allLists) if (method === `notifications/${name}/list_changed`) return name
	return null
}

/**
 * A server announces the same change on each of its sessions, so a client with a session of its own would hear of it twice. Tools
 * take this long to be read again anyway.
 */
const sameChangeMs = 100

/** Forgets a list that a server has changed. Tools are read again at once. Resolves when clients may be notified. */
export async function renewList(
	{ catalog, refreshTools, log }: ListeningContext,
	serverId: string,
	name: ListName,
): Promise<void> {
	if (name !== 'tools') {
		catalog.forget(serverId, name)
		return setTimeout(sameChangeMs, undefined, { ref: false })
	}
	await refreshTools(serverId).catch((error: unknown) =>
		log.warn({ err: error }, 'gateway: tools could not be refreshed'),
	)
}

interface Subscription extends ResourceChoice {
	/** Null while the agent may not read the resource, or it could not be subscribed to again. */
	listening: Listening | null
}

interface WatchedServer {
	server: ServerEntry
	listening: Listening
}

/**
 * What one client is notified of: changes of the servers at its endpoint, and of its own permissions. Changes of lists come over
 * upstream sessions that all clients share; a resource subscription uses the client's own upstream session, if it has one.
 */
export class ClientSubscription {
	readonly subscriber: Subscriber
	readonly #context: ListeningContext
	readonly #lists = new Map<string, WatchedServer>()
	readonly #subscriptions = new Map<string, Subscription>()
	readonly #renewing = new Set<string>()
	#seen: VisibleLists

	constructor(context: ListeningContext, subscriber: Subscriber) {
		this.#context = context
		this.subscriber = subscriber
		this.#seen = visibleLists(context, subscriber.caller)
		this.#reach()
	}

	/** The URIs that the client is subscribed to, as the client wrote them. */
	get uris(): string[] {
		return [...this.#subscriptions.keys()]
	}

	/**
	 * Call it when permissions or servers have changed: notifies the client of its lists that changed. `known`: results already
	 * computed for other clients.
	 */
	recheck(known: Map<string, VisibleLists>): void {
		const { agentId, userId, serverId } = this.subscriber.caller
		const key = `${agentId} ${userId} ${serverId ?? ''}`
		const now = known.get(key) ?? visibleLists(this.#context, this.subscriber.caller)
		known.set(key, now)
		const before = this.#seen
		this.#seen = now
		if (now.tools !== before.tools) this.notifyListChanged('tools')
		if (hasListChanged(before.prompts, now.prompts)) this.notifyListChanged('prompts')
		if (hasListChanged(before.resources, now.resources)) this.notifyListChanged('resources')
		this.#reach()
	}

	/** Whether this is one of the endpoint's servers that the agent may use. */
	watches(serverId: string): boolean {
		return this.#lists.has(serverId)
	}

	/**
	 * Call it when a server has announced that a list changed. The client reads the list again after Signalbox has renewed it, and is
	 * notified once, even if nothing differs.
	 */
	async hearOfList(serverId: string, name: ListName): Promise<void> {
		const key = `${serverId} ${name}`
		const isRepeated = this.#renewing.has(key)
		this.#renewing.add(key)
		const before = this.#seen
		await renewList(this.#context, serverId, name)
		if (isRepeated) return
		this.#renewing.delete(key)
		if (name !== 'tools' || this.#seen.tools === before.tools) this.notifyListChanged(name)
	}

	/** Passes on what a server sends to this client outside a call: logs that it wants, and pages that its user has finished. */
	forward(serverId: string, { method, params }: RpcNotification): void {
		const { client, caller } = this.subscriber
		if (!serversAt(this.#context, caller).some(({ id }) => id === serverId)) return
		const isTooFine =
			method === 'notifications/message' &&
			client.logLevel !== null &&
			severityOf(params.level) < severityOf(client.logLevel)
		if (!isTooFine) this.subscriber.notify(method, params)
	}

	/** Rejects if the client may not read the resource, or with the server's error if it refuses the subscription. */
	async subscribe(asked: string, choice: ResourceChoice): Promise<void> {
		const { server, uri } = choice
		const { agentId } = this.subscriber.caller
		const refused = this.#context.enforcement.refusalOfPart(agentId, server, { resource: uri })
		if (refused) throw refused
		if (this.#subscriptions.has(asked)) return
		try {
			await this.#open(asked, choice)
		} catch (error) {
			if (this.#subscriptions.get(asked)?.listening === null) this.#subscriptions.delete(asked)
			throw error
		}
	}

	/** Subscribes again for a client that comes back. What fails now is tried again at the next change. */
	async restore(asked: string, choice: ResourceChoice): Promise<void> {
		await this.subscribe(asked, choice).catch(() => {
			this.#subscriptions.set(asked, { ...choice, listening: null })
		})
	}

	async #open(asked: string, choice: ResourceChoice): Promise<void> {
		const { client, caller } = this.subscriber
		const listening = this.#context.upstreams.listen(choice.server, client, caller, (notification) =>
			this.#hearOfResource(asked, choice, notification),
		)
		const subscription: Subscription = { ...choice, listening }
		this.#subscriptions.set(asked, subscription)
		try {
			await listening.subscribe(choice.uri)
		} catch (error) {
			listening.close()
			subscription.listening = null
			throw error
		}
	}

	async unsubscribe(asked: string): Promise<void> {
		const subscription = this.#subscriptions.get(asked)
		this.#subscriptions.delete(asked)
		await subscription?.listening?.unsubscribe(subscription.uri).catch(() => {})
		subscription?.listening?.close()
	}

	close(): void {
		for (const { listening } of this.#lists.values()) listening.close()
		for (const { listening } of this.#subscriptions.values()) listening?.close()
		this.#lists.clear()
		this.#subscriptions.clear()
	}

	/** Listens to exactly the servers that the agent may use now, at their current addresses. */
	#reach(): void {
		const servers = new Map(serversAt(this.#context, this.subscriber.caller).map((each) => [each.id, each]))
		for (const [id, { server, listening }] of this.#lists) {
			const now = servers.get(id)
			if (now && isSameTarget(now, server)) continue
			listening.close()
			this.#lists.delete(id)
		}
		for (const [id, server] of servers) if (!this.#lists.has(id)) this.#listenTo(server)
		for (const [asked, subscription] of this.#subscriptions) {
			const { server, uri, listening } = subscription
			const now = servers.get(server.id)
			if (!now || !this.#mayRead(now, uri)) {
				listening?.close()
				subscription.listening = null
			} else if (!listening || !isSameTarget(now, server)) this.#move(asked, subscription, now)
		}
	}

	/**
	 * Resubscribes after the server got a new address, headers or protocol era, or came back. Changes in between are unknown. If it fails,
	 * it is tried again at the next change.
	 */
	#move(asked: string, subscription: Subscription, server: ServerEntry): void {
		subscription.listening?.close()
		subscription.listening = null
		this.#open(asked, { server, uri: subscription.uri }).then(
			() => this.subscriber.notify('notifications/resources/updated', { uri: asked }),
			(error: unknown) =>
				this.#context.log.warn(
					{ err: error },
					'gateway: a subscription could not be moved to the new address',
				),
		)
	}

	#listenTo(server: ServerEntry): void {
		const shared = { ...this.subscriber.client, capabilities: {}, sessionLabel: '' }
		try {
			const listening = this.#context.upstreams.listen(
				server,
				shared,
				this.subscriber.caller,
				(notification) => {
					const name = changedList(notification)
					if (name) void this.hearOfList(server.id, name)
				},
			)
			this.#lists.set(server.id, { server, listening })
		} catch {
			// A server that cannot be reached is tried again at the next change.
		}
	}

	#hearOfResource(asked: string, { server, uri }: ResourceChoice, { method, params }: RpcNotification): void {
		if (method !== 'notifications/resources/updated') return
		const below = partBelow(params.uri, uri)
		if (below === null || (below !== '' && this.#isHeardNearer(server, uri, uri + below))) return
		// The agent is not notified of resources that it may no longer read.
		const now = this.#context.enforcement.server(server.id)
		if (now && this.#mayRead(now, uri + below))
			this.subscriber.notify(method, { ...params, uri: asked + below })
	}

	/** Whether a subscription to the updated resource, or to one between it and `uri`, announces it as well. */
	#isHeardNearer(at: ServerEntry, uri: string, updated: string): boolean {
		return [...this.#subscriptions.values()].some(
			(other) =>
				other.server.id === at.id &&
				other.listening !== null &&
				other.uri.length > uri.length &&
				partBelow(updated, other.uri) !== null,
		)
	}

	#mayRead(server: ServerEntry, uri: string): boolean {
		return this.#context.enforcement.mayUse(this.subscriber.caller.agentId, server, { resource: uri })
	}

	/** If the client has asked to hear of this list. */
	notifyListChanged(name: ListName): void {
		if (this.subscriber.lists.has(name)) this.subscriber.notify(`notifications/${name}/list_changed`, {})
	}
}

/** The part of an updated URI after the one that was subscribed to, since it may be that of a sub-resource; null for any other. */
function partBelow(updated: unknown, uri: string): string | null {
	if (typeof updated !== 'string' || !updated.startsWith(uri)) return null
	const below = updated.slice(uri.length)
	return below === '' || uri.endsWith('/') || /^[/?#]/.test(below) ? below : null
}
