import { type JsonObject, RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import { type Listing, type ListingKind, listings } from '../../catalog/catalog.ts'
import type { Gateway } from '../../gateway.ts'
import type { Caller, Operation } from '../../operation.ts'
import type { ServerPart } from '../../refusals/refusals.ts'
import { refusalOfEndpoint } from '../../refuse.ts'
import type { Plan, PlanResult } from '../plan.ts'
import type { Entry, Position, WholeList } from './kept-lists.ts'
import { promptNames, qualify } from './use-parts.ts'

/** Cursors of lists. They are signed: a cursor is valid only for its caller, at the same endpoint and for the same list. */
export class Cursors {
	readonly #sealer: Pick<Sealer, 'mac'>

	constructor(sealer: Pick<Sealer, 'mac'>) {
		this.#sealer = sealer
	}

	write(operation: Operation, { slug, at }: Position): string {
		const text = Buffer.from(JSON.stringify([slug, at])).toString('base64url')
		return `${text}.${this.#signature(operation, text)}`
	}

	/** Null at the beginning of a list. Throws -32602 for anything that is not a cursor of this list. */
	read(operation: Operation): Position | null {
		const { cursor } = operation.request.params
		// Some clients cannot omit the field.
		if (cursor === undefined || cursor === null || cursor === '') return null
		const [text = '', signature] = typeof cursor === 'string' ? cursor.split('.') : []
		if (signature === undefined || signature !== this.#signature(operation, text))
			throw new RpcFailure(rpcCodes.invalidParams, 'This cursor was not given for this list.')
		const [slug, at] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, number]
		return { slug, at }
	}

	#signature({ caller, request }: Operation, text: string): string {
		const facts = [caller.agentId, caller.serverId, request.method, text]
		return this.#sealer.mac('mcp-cursor', JSON.stringify(facts)).slice(0, 32)
	}
}

/** The `_meta` key under which a list names the servers that it lacks. */
const unavailableKey = 'signalbox/unavailable_servers'

/** One page of a list, beginning at the operation's cursor. */
export function listResult(
	gateway: Gateway,
	operation: Operation,
	field: string,
	list: WholeList,
): PlanResult {
	const { entries, missing } = list
	const after = gateway.cursors.read(operation)
	const first = after ? nextPlace(entries, after) : 0
	const end = Math.min(first + gateway.limits.pageItems, entries.length)
	const last = end < entries.length ? entries[end - 1] : undefined
	const more = [
		...(last ? [`,"nextCursor":${JSON.stringify(gateway.cursors.write(operation, last))}`] : []),
		...(missing.length > 0
			? [
					`,"_meta":${JSON.stringify({ [unavailableKey]: missing.map((server) => state(gateway, operation, server)) })}`,
				]
			: []),
		// A list filtered by grants belongs to one agent, and may change at any moment.
		...(operation.client.era === 'modern'
			? [',"resultType":"complete","ttlMs":0,"cacheScope":"private"']
			: []),
	]
	// The items are not concatenated with the rest first: they may be long, and each concatenation would copy them.
	return { json: `{"${field}":[${itemsOf(list, first, end)}]${more.join('')}}`, isError: false }
}

function itemsOf({ entries, written }: WholeList, first: number, end: number): string {
	const known = written?.get(first)
	if (known !== undefined) return known
	const items = entries.slice(first, end).map(({ json }) => json)
	const text = items.join(',')
	written?.set(first, text)
	return text
}

function nextPlace(entries: readonly Entry[], after: Position): number {
	const place = entries.findIndex((entry) => isAfter(entry, after))
	return place < 0 ? entries.length : place
}

function isAfter(entry: Position, after: Position): boolean {
	return entry.slug === after.slug ? entry.at > after.at : entry.slug > after.slug
}

/** Why a server is missing; the reason is included where this caller can give the missing consent. */
function state(gateway: Gateway, { caller }: Operation, server: ServerEntry) {
	const consent = gateway.upstreams.missingConsent(server, caller)
	const facts = consent && { ...(consent.data as object), reason: consent.message }
	return { ...facts, server: server.slug, health: server.healthStatus }
}

export const listedKinds: Readonly<Record<string, ListingKind>> = Object.fromEntries(
	(Object.keys(listings) as ListingKind[]).map((kind) => [listings[kind].method, kind]),
)

interface Listed {
	server: ServerEntry
	listing: Listing
}

/** `prompts/list`, `resources/list`, `resources/templates/list`: the granted items of all servers that answer in time. */
export function planListParts(gateway: Gateway, operation: Operation, kind: ListingKind): Plan {
	const { caller } = operation
	return {
		server: null,
		tool: '',
		refusal: () => refusalOfEndpoint(gateway, caller),
		run: async () => {
			const servers = serversFor(gateway, operation)
			const alone = caller.serverId !== null
			const found = await Promise.all(
				servers.map((server) => gateway.catalog.list(server, kind, caller, { alone })),
			)
			const listed = servers.flatMap((server, at) => (found[at] ? [{ server, listing: found[at] }] : []))
			const missing = servers.filter((_server, at) => !found[at])
			const entries = grantedEntries(gateway, caller, kind, listed)
			return listResult(gateway, operation, listings[kind].field, { entries, missing })
		},
	}
}

/** The servers of an endpoint: its one server, or all that the agent may use. */
export function serversFor({ enforcement }: Gateway, { caller }: Operation): ServerEntry[] {
	if (caller.serverId === null) return enforcement.serversOf(caller.agentId)
	const server = enforcement.server(caller.serverId)
	return server ? [server] : []
}

export function partOf(kind: ListingKind, key: string): ServerPart {
	return kind === 'prompts' ? { prompt: key } : { resource: key }
}

/** Positions and names are those in the complete list, so that grants do not change them. */
function grantedEntries(
	{ enforcement }: Gateway,
	{ agentId, serverId }: Caller,
	kind: ListingKind,
	listed: readonly Listed[],
): Entry[] {
	const granted = listed.flatMap(({ server, listing }) => {
		const shown = serverId === null && kind === 'prompts' ? promptNames(server.toolPrefix, listing) : null
		return listing.items.flatMap(({ key, item }, at): Granted[] =>
			enforcement.mayUse(agentId, server, partOf(kind, key))
				? [{ slug: server.slug, at, item, key, name: shown?.get(key) ?? key }]
				: [],
		)
	})
	const shared = serverId === null && kind !== 'prompts' ? repeated(granted) : null
	return granted.map(({ slug, at, item, key, name }) => {
		const shown = shared?.has(key) ? qualify(slug, key) : name
		const json = JSON.stringify(shown === key ? item : { ...item, [listings[kind].key]: shown })
		return { slug, at, json }
	})
}

interface Granted {
	slug: string
	at: number
	item: JsonObject
	/** The server's own name or URI. */
	key: string
	/** The name or URI for the client, unless several servers have the same URI. */
	name: string
}

/** URIs that several servers have. They are qualified with the server's slug. */
function repeated(granted: readonly Granted[]): Set<string> {
	const seen = new Set<string>()
	const again = new Set<string>()
	for (const { key } of granted) (seen.has(key) ? again : seen).add(key)
	return again
}
