import { isObject, type JsonObject } from '../../mcp-client/index.ts'
import { type ServerEntry, uiExtension } from '../../servers/servers.ts'
import type { Gateway } from '../gateway.ts'
import type { Caller, TokenOwner } from '../operation.ts'
import { fitItem } from '../protocol/legacy-output.ts'

export interface Introduction {
	capabilities: JsonObject
	serverInfo: JsonObject
	instructions: string
}

/** Capabilities other than tools that are passed on to clients. */
const offered = ['prompts', 'resources', 'completions', 'logging'] as const

/** Clients are notified of changes of all lists, whatever the servers announce, because a grant may change. */
const changes = {
	prompts: { listChanged: true },
	resources: { listChanged: true },
	completions: {},
	logging: {},
}

/**
 * How an endpoint introduces itself: as its server did when it was last checked; the aggregate as all granted servers together.
 * No server is asked, so a slow or unreachable one does not delay a handshake.
 */
export function introduce(gateway: Gateway, caller: Caller): Introduction {
	const { serverId } = caller
	const server = serverId === null ? undefined : gateway.enforcement.server(serverId)
	return server ? introduceServer(gateway, server, caller) : introduceAll(gateway, caller)
}

function introduceServer(gateway: Gateway, server: ServerEntry, owner: TokenOwner): Introduction {
	const { slug, name, introduction } = server
	const own = { name: slug, title: name, version: gateway.version }
	const said = fitItem('introductions', introduction?.serverInfo ?? {})
	return {
		capabilities: union([introduction]),
		// The official clients refuse a handshake in which the version is missing.
		serverInfo: typeof said.name === 'string' ? { ...said, version: said.version ?? '' } : own,
		instructions: instructionsOf(gateway, server, owner),
	}
}

/** The server's own instructions, or the required consent: until it is given, the server's tools are in no list. */
function instructionsOf(gateway: Gateway, server: ServerEntry, owner: TokenOwner): string {
	const consent = gateway.upstreams.missingConsent(server, owner)
	return consent?.message ?? server.introduction?.instructions ?? ''
}

function introduceAll(gateway: Gateway, owner: TokenOwner): Introduction {
	const servers = gateway.enforcement.serversOf(owner.agentId)
	const parts = servers.flatMap((server) => {
		const { name, toolPrefix } = server
		const instructions = instructionsOf(gateway, server, owner)
		const heading = `# ${name}\nIts tools are named ${toolPrefix}__*, and so are its prompts.`
		return instructions ? [`${heading}\n\n${instructions}`] : []
	})
	return {
		capabilities: union(servers.map(({ introduction }) => introduction)),
		serverInfo: { name: 'signalbox', title: 'Signalbox', version: gateway.version },
		instructions: parts.join('\n\n'),
	}
}

/**
 * The union of the servers' capabilities. Of extensions only those that need no support here beyond passing resources and
 * `_meta`.
 */
function union(introductions: readonly ServerEntry['introduction'][]): JsonObject {
	const entries = offered.flatMap((name) => {
		const owns = introductions.map((each) => each?.capabilities[name]).filter(isObject)
		if (owns.length === 0) return []
		// Subscriptions to single resources depend on their servers.
		const isWatched = name === 'resources' && owns.some(({ subscribe }) => subscribe === true)
		return [[name, { ...changes[name], ...(isWatched && { subscribe: true }) }] as const]
	})
	const pages = introductions.map((each) => extensionsIn(each)[uiExtension]).find(isObject)
	return { ...Object.fromEntries(entries), ...(pages && { extensions: { [uiExtension]: pages } }) }
}

function extensionsIn(introduction: ServerEntry['introduction']): JsonObject {
	const extensions = introduction?.capabilities.extensions
	return isObject(extensions) ? extensions : {}
}
