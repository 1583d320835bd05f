import type { JsonObject } from '../../../mcp-client/index.ts'
import type { ServerEntry } from '../../../servers/index.ts'
import type { Listing, ListingKind } from '../../catalog/listing.ts'
import { listings } from '../../catalog/listing.ts'
import type { ServerPart } from '../../enforce.ts'
import type { Gateway } from '../../gateway.ts'
import type { Caller, Operation } from '../../operation.ts'
import { refusalOfEndpoint } from '../../refusal-of-endpoint.ts'
import type { Plan } from '../plan.ts'
import { promptNames } from './find-prompt.ts'
import { type Entry, listResult } from './list-result.ts'
import { qualify } from './resource-uri.ts'

export const listedKinds: Readonly<Record<string, ListingKind>> = Object.fromEntries(
	(Object.keys(listings) as ListingKind[]).map((kind) => [listings[kind].method, kind]),
)

interface Listed {
	server: ServerEntry
	listing: Listing
}

/** `prompts/list`, `resources/list`, `resources/templates/list`: what is granted, of all servers that tell theirs in time. */
export function planListParts(gateway: Gateway, operation: Operation, kind: ListingKind): Plan {
	const { caller } = operation
	return {
		server: caller.serverId === null ? null : (gateway.enforcement.server(caller.serverId) ?? null),
		tool: '',
		refusal: () => refusalOfEndpoint(gateway, caller),
		run: async () => {
			const servers = serversFor(gateway, operation)
			const found = await Promise.all(servers.map((server) => gateway.catalog.list(server, kind, caller)))
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

/** In the places that they have in the whole list, and by the names that they have there: grants move neither. */
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
	/** What the client sees, unless another server has the same. */
	name: string
}

/** URIs that several servers have: there they say whose they are. */
function repeated(granted: readonly Granted[]): Set<string> {
	const seen = new Set<string>()
	const again = new Set<string>()
	for (const { key } of granted) (seen.has(key) ? again : seen).add(key)
	return again
}
