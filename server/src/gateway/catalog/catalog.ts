import {
	Cancellation,
	eraOf,
	isObject,
	isSameTarget,
	type JsonObject,
	parseJsonText,
	RpcFailure,
	rpcCodes,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { newSpanId, newTraceId } from '../../platform/ids.ts'
import { numberOf } from '../../platform/json/parse-json.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { askUnsupported } from '../input-requests.ts'
import type { Limits } from '../limits.ts'
import type { Operation, TokenOwner } from '../operation.ts'
import { fitItem } from '../protocol/legacy-output.ts'
import type { Reply } from '../reply.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'

/** A reply to nobody. */
const silence: Reply = {
	notify: () => true,
	onDrain: () => {},
	heartbeat: () => {},
	end: () => {},
	takesMessages: false,
	bytesWith: (message) => Buffer.byteLength(message),
}

/**
 * Sends a request to a server on behalf of all callers who share its authorization. Rejects as a call of theirs would. `withinMs`
 * is the time limit.
 */
export async function askServer(
	upstreams: Upstreams,
	server: ServerEntry,
	owner: TokenOwner,
	method: string,
	params: JsonObject,
	withinMs: number,
): Promise<JsonObject> {
	const operation = ownOperation(server, owner, method, params)
	const late = () => upstreamFailure(server, 'timeout', 'did not answer in time.')
	const timer = setTimeout(() => operation.cancellation.cancel(late()), withinMs)
	try {
		const { json } = await upstreams.request({ operation, server, params, tool: null })
		return parseJsonText(json) as JsonObject
	} finally {
		clearTimeout(timer)
	}
}

/** Uses the server's own protocol era, so that nothing is translated. */
function ownOperation(server: ServerEntry, owner: TokenOwner, method: string, params: JsonObject): Operation {
	const { workspaceId } = server
	const protocolVersion = server.protocolVersion ?? ''
	return {
		caller: {
			principal: { kind: 'platform_key', keyId: '', name: 'signalbox', workspaceId, scopes: new Set() },
			credentialId: '',
			workspaceId,
			agentId: owner.agentId,
			userId: owner.userId,
			serverId: server.id,
		},
		client: {
			era: eraOf(protocolVersion),
			protocolVersion,
			info: { name: 'signalbox', version: '1' },
			capabilities: {},
			logLevel: null,
			sessionLabel: '',
		},
		request: { kind: 'request', id: 0, method, params },
		trace: { traceId: newTraceId(), spanId: newSpanId(), parentSpanId: '', traceState: '', flags: 0 },
		requestBytes: 0,
		clientAddress: '',
		reply: silence,
		cancellation: new Cancellation(),
		ask: askUnsupported,
		asking: 0,
		sending: { isSent: false },
		isRetry: false,
	}
}

/** What a server lists apart from tools. */
export type ListingKind = 'prompts' | 'resources' | 'templates'

export interface ListingTerms {
	method: string
	/** The field of a result that holds the items. */
	field: string
	/** The field that identifies an item. */
	key: string
}

export const listings: Readonly<Record<ListingKind, ListingTerms>> = {
	prompts: { method: 'prompts/list', field: 'prompts', key: 'name' },
	resources: { method: 'resources/list', field: 'resources', key: 'uri' },
	templates: { method: 'resources/templates/list', field: 'resourceTemplates', key: 'uriTemplate' },
}

export interface ListedItem {
	/** Name, URI or URI template. */
	key: string
	/** As the server sent it, with every field that clients can read. */
	item: JsonObject
}

/** What one server listed: its items in its order, without duplicates and those that have no key. */
export interface Listing {
	items: readonly ListedItem[]
	/** How long it is valid, as the server says; null if it does not say. */
	ttlMs: number | null
}

/** The items of one page of a list, as every client can read them. */
export function itemsIn(kind: ListingKind, result: JsonObject): ListedItem[] {
	const { field, key } = listings[kind]
	const items = Array.isArray(result[field]) ? (result[field] as unknown[]) : []
	return items.filter(isObject).flatMap((item) => {
		const own = item[key]
		if (typeof own !== 'string' || own === '') return []
		const named = typeof item.name === 'string' ? item : { ...item, name: own }
		return [{ key: own, item: fitItem(kind, named) }]
	})
}

export function withoutRepeats(items: readonly ListedItem[]): ListedItem[] {
	const seen = new Set<string>()
	return items.filter(({ key }) => !seen.has(key) && seen.add(key))
}

interface Held {
	server: ServerEntry
	owner: TokenOwner
	/** The last list received, used until a newer one arrives. */
	listing: Listing | null
	atMs: number
	/** A server that failed is not asked again immediately. */
	failedAtMs: number
	usedAtMs: number
	loading: Promise<Listing | null> | null
	/** Whether a list was answered without it since it was last received. */
	isMissed: boolean
}

const freshMs = 5000
const maxFreshMs = 60_000
/** How long the last list of a server that no longer answers is used. */
const keptMs = 10 * 60_000
/** Unused lists are dropped after this time, because there may be one for each user. */
const unusedMs = 60 * 60_000
const maxPages = 100
const maxItems = 20_000

/**
 * The prompts, resources and templates of servers, fetched on demand and cached for a few seconds: they change more often than
 * tools, may be many, and most agents never ask. Callers who share the authorization at a server share its lists; without tokens
 * of individual users, these are all callers. What each of them may see is decided at each use.
 */
export class Catalog {
	readonly #upstreams: Upstreams
	readonly #limits: Limits
	readonly #clock: Clock
	readonly #held = new Map<string, Held>()

	readonly #onLate: (serverId: string, name: 'prompts' | 'resources') => void

	/** `onLate` is called when a list arrives that clients were answered without. */
	constructor(
		upstreams: Upstreams,
		limits: Limits,
		clock: Clock,
		onLate: (serverId: string, name: 'prompts' | 'resources') => void,
	) {
		this.#onLate = onLate
		this.#upstreams = upstreams
		this.#limits = limits
		this.#clock = clock
	}

	/**
	 * What a server lists; an older list if it does not answer, or null if there is none. Beside other servers it is waited for at most
	 * `listMs`, so that one of them does not hold up all; `alone`, as long as it may take to answer.
	 */
	list(
		server: ServerEntry,
		kind: ListingKind,
		owner: TokenOwner,
		{ alone = false } = {},
	): Promise<Listing | null> {
		const held = this.#heldOf(server, kind, owner)
		const known = this.#known(held)
		if (known && this.#since(held.atMs) < freshFor(known)) return Promise.resolve(known)
		if (this.#since(held.failedAtMs) < freshMs) return Promise.resolve(known)
		held.loading ??= this.#load(held, kind)
		const loaded = alone ? held.loading : within(held.loading, this.#limits.listMs)
		return loaded.then((listing) => {
			const found = listing ?? this.#known(held)
			if (!found) held.isMissed = true
			return found
		})
	}

	/** The cached list, without asking the server. */
	known(server: ServerEntry, kind: ListingKind, owner: TokenOwner): Listing | null {
		return this.#known(this.#heldOf(server, kind, owner))
	}

	/**
	 * Called when a server announces a change of a list, which is fetched again at the next use. What is announced of resources
	 * includes templates.
	 */
	forget(serverId: string, name: 'prompts' | 'resources'): void {
		const kinds: readonly ListingKind[] = name === 'prompts' ? [name] : ['resources', 'templates']
		for (const [key, held] of this.#held)
			if (kinds.some((kind) => key.startsWith(`${serverId} ${kind} `)))
				this.#held.set(key, { ...held, atMs: 0, failedAtMs: 0, loading: null })
	}

	prune(isKnown: (server: ServerEntry) => boolean): void {
		const before = this.#clock.nowMs() - unusedMs
		for (const [key, { server, usedAtMs }] of this.#held)
			if (!isKnown(server) || usedAtMs < before) this.#held.delete(key)
	}

	#heldOf(server: ServerEntry, kind: ListingKind, owner: TokenOwner): Held {
		const key = `${server.id} ${kind} ${this.#upstreams.ownerOf(server, owner)}`
		const held = this.#held.get(key)
		const usedAtMs = this.#clock.nowMs()
		if (held && isSameTarget(held.server, server)) {
			held.usedAtMs = usedAtMs
			return held
		}
		const never = Number.NEGATIVE_INFINITY
		const { agentId, userId } = owner
		const made = {
			...{ server, owner: { agentId, userId }, usedAtMs },
			...{ listing: null, atMs: never, failedAtMs: never, loading: null, isMissed: false },
		}
		this.#held.set(key, made)
		return made
	}

	#known({ listing, atMs, server }: Held): Listing | null {
		const isBelieved = this.#since(atMs) < keptMs || server.healthStatus !== 'unhealthy'
		return isBelieved ? listing : null
	}

	/** A time in the future is from before the clock was set back, and as old. */
	#since(atMs: number): number {
		return Math.abs(this.#clock.nowMs() - atMs)
	}

	async #load(held: Held, kind: ListingKind): Promise<Listing | null> {
		try {
			held.listing = await this.#ask(held, kind)
			held.atMs = this.#clock.nowMs()
			if (held.isMissed) this.#onLate(held.server.id, kind === 'prompts' ? kind : 'resources')
			held.isMissed = false
			return held.listing
		} catch {
			held.failedAtMs = this.#clock.nowMs()
			return null
		} finally {
			held.loading = null
		}
	}

	async #ask({ server, owner }: Held, kind: ListingKind): Promise<Listing> {
		const items: ListedItem[] = []
		let ttlMs: number | null = null
		let cursor: unknown
		for (let page = 0; page < maxPages && items.length < maxItems; page += 1) {
			const params = cursor === undefined ? {} : { cursor }
			const { handshakeMs } = this.#limits
			const result = await askServer(
				this.#upstreams,
				server,
				owner,
				listings[kind].method,
				params,
				handshakeMs,
			).catch(emptyWhenUnknown)
			items.push(...itemsIn(kind, result))
			const freshMs = numberOf(result.ttlMs)
			if (freshMs !== null) ttlMs = Math.min(ttlMs ?? freshMs, freshMs)
			cursor = result.nextCursor ?? undefined
			if (cursor === undefined) break
		}
		return { items: withoutRepeats(items), ttlMs }
	}
}

/** Treats a server without such a list as one with an empty list. */
function emptyWhenUnknown(error: unknown): Record<string, unknown> {
	if (error instanceof RpcFailure && error.code === rpcCodes.methodNotFound) return {}
	throw error
}

function freshFor({ ttlMs }: Listing): number {
	return Math.min(Math.max(ttlMs ?? 0, freshMs), maxFreshMs)
}

function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<null>((resolve) => {
		timer = setTimeout(() => resolve(null), ms)
	})
	return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
