import { errorMessage, type RpcFailure, toFailure } from '../mcp-client/index.ts'
import type { RefusalWriter } from '../platform/http/route.ts'
import type { Gateway } from './gateway.ts'
import type { Caller } from './operation.ts'

/** Refuses a request of the MCP family: a JSON-RPC error without id under the problem's HTTP status. */
export const refuseMcp: RefusalWriter = (_request, response, problem, requestId) => {
	const bytes = Buffer.from(errorMessage(null, toFailure(problem, requestId)))
	response.writeHead(problem.status, {
		'content-type': 'application/json',
		'content-length': bytes.length,
		'cache-control': 'no-store',
	})
	response.end(bytes)
}

/** Why the endpoint is refused to the agent, or null. An endpoint that the agent may not use at all does not introduce itself. */
export function refusalOfEndpoint(gateway: Gateway, { agentId, serverId }: Caller): RpcFailure | null {
	const { enforcement } = gateway
	const refusal = enforcement.refusalOfAgent(agentId)
	if (refusal || serverId === null) return refusal
	return enforcement.refusalOfServer(agentId, enforcement.server(serverId))
}
