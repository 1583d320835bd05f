import type { ServerEntry } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import { isObject, type JsonObject } from '../json-rpc/message.ts'
import type { Caller } from '../operation.ts'
import type { Description } from '../upstreams/upstream.ts'

export interface Introduction {
	capabilities: JsonObject
	serverInfo: JsonObject
	instructions: string
}

/** What passes beside tools, by the capability that announces it. */
const offered = ['prompts', 'resources', 'completions'] as const

/** Of all of them clients hear when they change, whatever the servers do: a grant may change. */
const changes = {
	prompts: { listChanged: true },
	resources: { listChanged: true, subscribe: true },
	completions: {},
}

/** How an endpoint introduces itself: as its server does, or for the aggregate as all granted servers together. */
export async function introduce(gateway: Gateway, { agentId, serverId }: Caller): Promise<Introduction> {
	const server = serverId === null ? undefined : gateway.enforcement.server(serverId)
	return server ? introduceServer(gateway, server) : introduceAll(gateway, agentId)
}

async function introduceServer(gateway: Gateway, server: ServerEntry): Promise<Introduction> {
	const described = await gateway.upstreams.describeWithin(server, gateway.limits.describeMs)
	const own = { name: server.slug, title: server.name, version: gateway.version }
	return {
		capabilities: union([described]),
		serverInfo: typeof described?.serverInfo.name === 'string' ? described.serverInfo : own,
		instructions: described?.instructions ?? '',
	}
}

/** One server that is slow or down only misses its instructions and what it alone can do. */
async function introduceAll(gateway: Gateway, agentId: string): Promise<Introduction> {
	const servers = gateway.enforcement.serversOf(agentId)
	const described = await Promise.all(
		servers.map((server) => gateway.upstreams.describeWithin(server, gateway.limits.describeMs)),
	)
	const parts = servers.flatMap((server, index) => {
		const text = described[index]?.instructions
		return text
			? [`# ${server.name}\nIts tools are named ${server.toolPrefix}__*, and so are its prompts.\n\n${text}`]
			: []
	})
	return {
		capabilities: union(described),
		serverInfo: { name: 'signalbox', title: 'Signalbox', version: gateway.version },
		instructions: parts.join('\n\n'),
	}
}

/** What any of the servers can do. */
function union(described: readonly (Description | null)[]): JsonObject {
	const entries = offered.flatMap((name) =>
		described.some((each) => isObject(each?.capabilities[name])) ? [[name, changes[name]] as const] : [],
	)
	return Object.fromEntries(entries)
}
