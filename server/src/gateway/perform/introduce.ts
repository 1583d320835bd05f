import { isObject, type JsonObject } from '../../mcp-client/index.ts'
import { type ServerEntry, uiExtension } from '../../servers/servers.ts'
import type { Gateway } from '../gateway.ts'
import type { Caller, TokenOwner } from '../operation.ts'

export interface Introduction {
	capabilities: JsonObject
	serverInfo: JsonObject
	instructions: string
}

/** What passes beside tools, by the capability that announces it. */
const offered = ['prompts', 'resources', 'completions'] as const

/** Of all lists clients hear when they change, whatever the servers do: a grant may change. */
const changes = { prompts: { listChanged: true }, resources: { listChanged: true }, completions: {} }

/**
 * How an endpoint introduces itself: as its server did when it was last checked, or for the aggregate as all granted servers
 * together. No server is asked, so none that is slow or down delays a handshake.
 */
export function introduce(gateway: Gateway, caller: Caller): Introduction {
	const { serverId } = caller
	const server = serverId === null ? undefined : gateway.enforcement.server(serverId)
	return server ? introduceServer(gateway, server, caller) : introduceAll(gateway, caller)
}

function introduceServer(gateway: Gateway, server: ServerEntry, whom: TokenOwner): Introduction {
	const { slug, name, introduction } = server
	const own = { name: slug, title: name, version: gateway.version }
	return {
		capabilities: union([introduction]),
		serverInfo: typeof introduction?.serverInfo.name === 'string' ? introduction.serverInfo : own,
		instructions: instructionsOf(gateway, server, whom),
	}
}

/** Its own, or where somebody has to agree first: its tools are in no list until then. */
function instructionsOf(gateway: Gateway, server: ServerEntry, whom: TokenOwner): string {
	const consent = gateway.upstreams.missingConsent(server, whom)
	return consent?.message ?? server.introduction?.instructions ?? ''
}

function introduceAll(gateway: Gateway, whom: TokenOwner): Introduction {
	const servers = gateway.enforcement.serversOf(whom.agentId)
	const parts = servers.flatMap((server) => {
		const { name, toolPrefix } = server
		const instructions = instructionsOf(gateway, server, whom)
		const heading = `# ${name}\nIts tools are named ${toolPrefix}__*, and so are its prompts.`
		return instructions ? [`${heading}\n\n${instructions}`] : []
	})
	return {
		capabilities: union(servers.map(({ introduction }) => introduction)),
		serverInfo: { name: 'signalbox', title: 'Signalbox', version: gateway.version },
		instructions: parts.join('\n\n'),
	}
}

/** What any of the servers can do; of extensions those that need nothing of us but that resources and `_meta` pass. */
function union(introductions: readonly ServerEntry['introduction'][]): JsonObject {
	const entries = offered.flatMap((name) => {
		const owns = introductions.map((each) => each?.capabilities[name]).filter(isObject)
		if (owns.length === 0) return []
		// Single resources are watched by their servers.
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
