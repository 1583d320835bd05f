import { isObject, type JsonObject, RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { introduce } from '../../perform/introduce.ts'
import { ownResult, type Plan, refuseWith } from '../../perform/plan.ts'
import { refusalOfEndpoint } from '../../refusal-of-endpoint.ts'
import { legacyTaskCapability } from '../../tasks/task-capability.ts'
import { negotiateVersion } from './versions.ts'

const introductionLimit = 16 * 1024

/** What a client says of itself in `initialize`. */
export function readClient(params: JsonObject): {
	protocolVersion: string
	info: JsonObject
	capabilities: JsonObject
	logLevel: null
} {
	return {
		protocolVersion: negotiateVersion(params.protocolVersion),
		info: isObject(params.clientInfo) ? params.clientInfo : {},
		capabilities: isObject(params.capabilities) ? params.capabilities : {},
		logLevel: null,
	}
}

/** `initialize`; `agree` is told what the client said before it hears of it. */
export function planInitialize(
	gateway: Gateway,
	operation: Operation,
	agree: (client: ReturnType<typeof readClient>) => Promise<void>,
): Plan {
	const { caller, request } = operation
	const server = caller.serverId === null ? null : (gateway.enforcement.server(caller.serverId) ?? null)
	if (typeof request.params.protocolVersion !== 'string')
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`protocolVersion` must be text.'))
	const client = readClient(request.params)
	if (JSON.stringify(client).length > introductionLimit)
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, 'The introduction of the client is too long.'))
	return {
		server,
		tool: '',
		refusal: () => refusalOfEndpoint(gateway, caller),
		run: async () => {
			const { capabilities, serverInfo, instructions } = introduce(gateway, caller)
			await agree(client)
			return ownResult({
				protocolVersion: client.protocolVersion,
				capabilities: {
					...{ logging: {}, ...capabilities, tools: { listChanged: true } },
					...legacyTaskCapability(client),
				},
				serverInfo,
				...(instructions && { instructions }),
			})
		},
	}
}
