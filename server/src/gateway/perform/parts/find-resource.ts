import { uriPattern } from '../../../access/grants/index.ts'
import { namedFailure, type RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { ServerEntry } from '../../../servers/index.ts'
import type { ListingKind } from '../../catalog/listing.ts'
import type { Gateway } from '../../gateway.ts'
import type { Viewer } from '../../operation.ts'
import { qualify, readQualified } from './resource-uri.ts'

/** Whose resource a URI names, and the server's own URI of it. */
export interface ResourceChoice {
	server: ServerEntry
	uri: string
}

/**
 * The resource that a client names. On the aggregate a qualified URI says whose it is; another one belongs to the server
 * that lists it, or that has a template for it. Null when the lists of all servers are not known yet: see `askForResource`.
 * Throws -32602 with the URI for one that nobody has, or that several have.
 */
export function findResource(gateway: Gateway, caller: Viewer, uri: string): ResourceChoice | null {
	const { enforcement, catalog } = gateway
	if (caller.serverId !== null) {
		const server = enforcement.server(caller.serverId)
		if (server) return { server, uri }
		throw notFound(uri)
	}
	const servers = enforcement.serversOf(caller.agentId)
	const qualified = readQualified(uri)
	const named = qualified && servers.find(({ slug }) => slug === qualified.slug)
	if (named) return { server: named, uri: qualified.uri }
	const [only] = servers
	if (only && servers.length === 1) return { server: only, uri }
	const isKnown = servers.every((server) => kinds.every((kind) => catalog.known(server, kind, caller)))
	return isKnown ? ownerOf(gateway, caller, servers, uri) : null
}

/** The same after asking all servers of the agent for their lists; those that do not answer in time have none. */
export async function askForResource(gateway: Gateway, caller: Viewer, uri: string): Promise<ResourceChoice> {
	const found = findResource(gateway, caller, uri)
	if (found) return found
	const servers = gateway.enforcement.serversOf(caller.agentId)
	await Promise.all(
		servers.flatMap((server) => kinds.map((kind) => gateway.catalog.list(server, kind, caller))),
	)
	return ownerOf(gateway, caller, servers, uri)
}

const kinds: readonly ListingKind[] = ['resources', 'templates']

function ownerOf(
	{ enforcement, catalog }: Gateway,
	viewer: Viewer,
	servers: readonly ServerEntry[],
	uri: string,
): ResourceChoice {
	const usable = servers.filter((server) => enforcement.mayUse(viewer.agentId, server, { resource: uri }))
	const has = (server: ServerEntry, kind: ListingKind, matches: (key: string) => boolean) =>
		catalog.known(server, kind, viewer)?.items.some(({ key }) => matches(key)) ?? false
	const isUri = (key: string) => key === uri
	const isTemplate = (key: string) => uriPattern(key).matches(uri)
	const listing = usable.filter((server) => has(server, 'resources', isUri))
	const owners =
		listing.length > 0 ? listing : usable.filter((server) => has(server, 'templates', isTemplate))
	const [owner] = owners
	if (!owner) throw notFound(uri)
	if (owners.length > 1) throw ambiguous(uri, owners)
	return { server: owner, uri }
}

/** One that is not granted reads the same. */
function notFound(uri: string): RpcFailure {
	const text = `The resource ${uri.slice(0, 512)} was not found, or is not granted.`
	return namedFailure(rpcCodes.invalidParams, 'resource_not_found', text, { facts: { uri } })
}

function ambiguous(uri: string, owners: readonly ServerEntry[]): RpcFailure {
	const uris = owners.map(({ slug }) => qualify(slug, uri))
	const text = `Several servers have this resource; read one of ${uris.join(' ').slice(0, 1024)}.`
	return namedFailure(rpcCodes.invalidParams, 'resource_ambiguous', text, { facts: { uri, uris } })
}
