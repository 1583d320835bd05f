import { uriPattern } from '../../../access/grants/index.ts'
import {
	failureOf,
	isObject,
	type JsonObject,
	namedFailure,
	parseJsonText,
	RpcFailure,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import type { Listing, ListingKind } from '../../catalog/catalog.ts'
import type { Gateway } from '../../gateway.ts'
import type { Caller, Operation, Viewer } from '../../operation.ts'
import { refusalOfEndpoint } from '../../refuse.ts'
import { exposeNames, prefixIn } from '../../tool-names.ts'
import { ownResult, type Plan, type PlanResult, refuseWith } from '../plan.ts'

export interface PromptChoice {
	server: ServerEntry
	/** The server's own name if it is known without asking the server. */
	own: string | null
	/** The server's own name, or the most likely one. */
	likely: string
	/** Resolves with the server's own name; lists the server's prompts if their names are unknown. */
	ask(): Promise<string>
}

/** The prompt that a client names: by the server's own name, or by the exposed one on the aggregate. */
export function findPrompt(gateway: Gateway, caller: Caller, name: string): PromptChoice | null {
	const { enforcement, catalog } = gateway
	if (caller.serverId !== null) {
		const server = enforcement.server(caller.serverId)
		return server ? { server, own: name, likely: name, ask: async () => name } : null
	}
	const prefix = prefixIn(name)
	const server = enforcement
		.serversOf(caller.agentId)
		.find(({ toolPrefix, slug }) => toolPrefix === prefix || slug === prefix)
	if (!server) return null
	const known = catalog.known(server, 'prompts', caller)
	const own = known && ownName(known, prefix, name)
	const unprefixed = name.slice(prefix.length + 2)
	return {
		server,
		own,
		likely: own ?? unprefixed,
		ask: async () => {
			const listing = await catalog.list(server, 'prompts', caller)
			return (listing && ownName(listing, prefix, name)) ?? unprefixed
		},
	}
}

/** Maps a server's own names of prompts to their names on the aggregate. */
export function promptNames(prefix: string, { items }: Listing): Map<string, string> {
	return exposeNames(
		prefix,
		items.map(({ key }) => key),
	)
}

/** Null if no listed prompt is exposed under that name. */
function ownName(listing: Listing, prefix: string, exposed: string): string | null {
	for (const [own, shown] of promptNames(prefix, listing)) if (shown === exposed) return own
	return null
}

/** The server of a resource, and the server's own URI for it. */
export interface ResourceChoice {
	server: ServerEntry
	uri: string
}

/**
 * The resource that a client names. On the aggregate, a qualified URI names its server; any other belongs to the server that
 * lists it or has a matching template. Null if not all servers' lists are known yet: see `askForResource`. Throws -32602 with the
 * URI if no server has it, or several do.
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
	// A URI that names another server is not this one's, unless this one lists it.
	if (only && servers.length === 1 && !qualified) return { server: only, uri }
	const isKnown = servers.every((server) => kinds.every((kind) => catalog.known(server, kind, caller)))
	return isKnown ? ownerOf(gateway, caller, servers, uri) : null
}

/** The same after asking all servers of the agent for their lists. Servers that do not answer in time count as having none. */
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

/** Also used for a resource that is not granted, so that the two look alike. */
function notFound(uri: string): RpcFailure {
	const text = `The resource ${uri.slice(0, 512)} was not found, or is not granted.`
	return namedFailure(rpcCodes.invalidParams, 'resource_not_found', text, { facts: { uri } })
}

function ambiguous(uri: string, owners: readonly ServerEntry[]): RpcFailure {
	const uris = owners.map(({ slug }) => qualify(slug, uri))
	const text = `Several servers have this resource; read one of ${uris.join(' ').slice(0, 1024)}.`
	return namedFailure(rpcCodes.invalidParams, 'resource_ambiguous', text, { facts: { uri, uris } })
}

/** `prompts/get`, sent under the server's own name. */
export function planGetPrompt(gateway: Gateway, operation: Operation): Plan {
	const { name } = operation.request.params
	if (typeof name !== 'string' || name === '')
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`name` must be text.'))
	return planWithPrompt(gateway, operation, name, (own) => ({ ...operation.request.params, name: own }))
}

/** A request about a prompt; `paramsFor` creates its params for the server. */
export function planWithPrompt(
	gateway: Gateway,
	operation: Operation,
	name: string,
	paramsFor: (own: string) => JsonObject,
): Plan {
	const { enforcement, upstreams } = gateway
	const { caller } = operation
	const choice = findPrompt(gateway, caller, name)
	if (!choice) return refuseWith(unknownPrompt(name, enforcement.agent(caller.agentId)?.name))
	const { server } = choice
	let { own } = choice
	const refusal = () =>
		own === null
			? enforcement.refusalOfServer(caller.agentId, server)
			: enforcement.refusalOfPart(caller.agentId, server, { prompt: own })
	return {
		server,
		tool: '',
		target: choice.likely,
		refusal,
		run: async () => {
			own ??= await choice.ask()
			const refused = refusal()
			if (refused) throw refused
			return upstreams.request({ operation, server, params: paramsFor(own), tool: null })
		},
	}
}

/** Also used for a prompt of a server without a grant, so that the two look alike. */
function unknownPrompt(name: string, agent = 'this agent'): RpcFailure {
	const text = `The prompt ${name.slice(0, 256)} was not found, or is not granted to ${agent}. An admin of the workspace can grant it.`
	return namedFailure(rpcCodes.invalidParams, 'prompt_not_selected', text, {
		status: 'denied',
		facts: { prompt: name },
	})
}

/** `resources/read`, sent with the server's own URI. The contents are returned under the requested URI. */
export function planReadResource(gateway: Gateway, operation: Operation): Plan {
	const { params } = operation.request
	const { uri } = params
	if (typeof uri !== 'string' || uri === '')
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`uri` must be text.'))
	const plan = planWithResource(gateway, operation, uri, (own) => ({ ...params, uri: own }))
	return { ...plan, run: async () => underAskedUri(uri, await plan.run()) }
}

/** A request about a resource or a template; `paramsFor` creates its params for the server. */
export function planWithResource(
	gateway: Gateway,
	operation: Operation,
	uri: string,
	paramsFor: (own: string) => JsonObject,
): Plan {
	const { caller } = operation
	let choice: ResourceChoice | null
	try {
		choice = findResource(gateway, caller, uri)
	} catch (error) {
		return refuseWith(failureOf(error))
	}
	const refusal = () =>
		choice
			? gateway.enforcement.refusalOfPart(caller.agentId, choice.server, { resource: choice.uri })
			: refusalOfEndpoint(gateway, caller)
	return {
		server: choice?.server ?? null,
		tool: '',
		...(choice && { target: choice.uri }),
		refusal,
		run: async () => {
			choice ??= await askForResource(gateway, caller, uri)
			const refused = refusal()
			if (refused) throw refused
			const params = paramsFor(choice.uri)
			return gateway.upstreams.request({ operation, server: choice.server, params, tool: null })
		},
	}
}

/** Rewrites a result only if the two URIs differ; other results pass unchanged. */
function underAskedUri(asked: string, result: PlanResult): PlanResult {
	if (!asked.startsWith('mcp+')) return result
	const read = parseJsonText(result.json) as JsonObject
	if (!Array.isArray(read.contents)) return result
	const own = asked.slice(asked.indexOf(':') + 1)
	const contents = read.contents.map((each: unknown) =>
		isObject(each) && each.uri === own ? { ...each, uri: asked } : each,
	)
	return ownResult({ ...read, contents })
}

/** Qualifies the URI or template of one server among several: `mcp+<slug>:` before its own URI. */
export function qualify(slug: string, uri: string): string {
	return `mcp+${slug}:${uri}`
}

/** The slug and the server's own URI in a qualified one, or null. */
export function readQualified(uri: string): { slug: string; uri: string } | null {
	const [whole, slug] = /^mcp\+([a-z0-9-]+):/.exec(uri) ?? []
	return whole === undefined || slug === undefined ? null : { slug, uri: uri.slice(whole.length) }
}
