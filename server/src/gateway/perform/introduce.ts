import type { ServerEntry } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { type Caller, type Era, eraOf } from '../operation.ts'
import { forwardedMethods } from './forward.ts'

export interface Introduction {
	capabilities: JsonObject
	serverInfo: JsonObject
	instructions: string
}

/** How an endpoint introduces itself: as its server does, or for the aggregate as all granted servers together. */
export async function introduce(gateway: Gateway, caller: Caller, era: Era): Promise<Introduction> {
	const server = caller.serverId === null ? undefined : gateway.enforcement.server(caller.serverId)
	return server ? introduceServer(gateway, caller, era, server) : introduceAll(gateway, caller)
}

async function introduceServer(
	gateway: Gateway,
	{ agentId }: Caller,
	era: Era,
	server: ServerEntry,
): Promise<Introduction> {
	const described = await gateway.upstreams.describeWithin(server, gateway.limits.describeMs)
	const own = { name: server.slug, title: server.name, version: gateway.version }
	const isWhole =
		gateway.enforcement.refusalOfAll(agentId, server) === null &&
		server.protocolVersion !== null &&
		eraOf(server.protocolVersion) === era
	const offered = isWhole
		? Object.values(forwardedMethods).filter((name) => described?.capabilities[name] !== undefined)
		: []
	return {
		capabilities: Object.fromEntries(offered.map((name) => [name, {}])),
		serverInfo: typeof described?.serverInfo.name === 'string' ? described.serverInfo : own,
		instructions: described?.instructions ?? '',
	}
}

/** One server that is slow or down only misses its instructions. */
async function introduceAll(gateway: Gateway, { agentId }: Caller): Promise<Introduction> {
	const servers = gateway.enforcement.serversOf(agentId)
	const described = await Promise.all(
		servers.map((server) => gateway.upstreams.describeWithin(server, gateway.limits.describeMs)),
	)
	const parts = servers.flatMap((server, index) => {
		const text = described[index]?.instructions
		return text ? [`# ${server.name}\nIts tools are named ${server.slug}__*.\n\n${text}`] : []
	})
	return {
		capabilities: {},
		serverInfo: { name: 'signalbox', title: 'Signalbox', version: gateway.version },
		instructions: parts.join('\n\n'),
	}
}
