import type { RpcFailure } from '../mcp-client/index.ts'
import type { Gateway } from './gateway.ts'
import type { Caller } from './operation.ts'

/** An endpoint that the agent may not use at all does not introduce itself. */
export function refusalOfEndpoint(gateway: Gateway, { agentId, serverId }: Caller): RpcFailure | null {
	const { enforcement } = gateway
	const refusal = enforcement.refusalOfAgent(agentId)
	if (refusal || serverId === null) return refusal
	return enforcement.refusalOfServer(agentId, enforcement.server(serverId))
}
