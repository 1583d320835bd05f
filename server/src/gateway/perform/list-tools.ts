import type { ServerEntry } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/failure.ts'
import type { Operation } from '../operation.ts'
import { exposedTools } from '../tool-names.ts'
import { type Plan, refuseWith } from './plan.ts'

/** `tools/list`: the granted tools out of what is known of the servers, so that none of them can delay or break it. */
export function planListTools(gateway: Gateway, operation: Operation): Plan {
	const { agentId, serverId } = operation.caller
	if ((operation.request.params.cursor ?? null) !== null) {
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, 'There is one page; this cursor is not ours.'))
	}
	return {
		server: serverId === null ? null : (gateway.enforcement.server(serverId) ?? null),
		tool: '',
		refusal: () => gateway.enforcement.refusalOfAgent(agentId),
		run: () => ({
			json: `{"tools":[${grantedTools(gateway, agentId, serverId).join(',')}]${modernFields(operation)}}`,
			isError: false,
		}),
	}
}

/** The JSON of each granted tool, in a fixed order: by slug, then as the server has them. */
function grantedTools(gateway: Gateway, agentId: string, serverId: string | null): string[] {
	const { enforcement } = gateway
	if (serverId !== null) {
		const server = enforcement.server(serverId)
		return server ? enforcement.toolsOf(agentId, server).map((tool) => jsonOf(server, tool.name, false)) : []
	}
	return enforcement
		.serversOf(agentId)
		.flatMap((server) => enforcement.toolsOf(agentId, server).map((tool) => jsonOf(server, tool.name, true)))
}

interface ToolTexts {
	own: Map<string, string>
	exposed: Map<string, string>
}

const texts = new WeakMap<ServerEntry, ToolTexts>()

/** A definition is written out once for as long as its server does not change. */
function jsonOf(server: ServerEntry, name: string, aggregate: boolean): string {
	const known = texts.get(server) ?? writeTools(server)
	return (aggregate ? known.exposed : known.own).get(name) ?? ''
}

function writeTools(server: ServerEntry): ToolTexts {
	const { own, names } = exposedTools(server)
	const written = {
		own: new Map([...own].map(([name, tool]) => [name, JSON.stringify(tool)])),
		exposed: new Map(
			[...own].map(([name, tool]) => [name, JSON.stringify({ ...tool, name: names.get(name) })]),
		),
	}
	texts.set(server, written)
	return written
}

/** A list filtered by grants is nobody else's, and may change at any moment. */
function modernFields({ client }: Operation): string {
	return client.era === 'modern' ? ',"resultType":"complete","ttlMs":0,"cacheScope":"private"' : ''
}
