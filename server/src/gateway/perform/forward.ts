import type { Gateway } from '../gateway.ts'
import { methodNotFound } from '../json-rpc/failure.ts'
import { eraOf, type Operation } from '../operation.ts'
import { type Plan, refuseWith } from './plan.ts'

/** What beside tools passes on the endpoint of one server, by the capability that announces it. */
export const forwardedMethods: Readonly<Record<string, string>> = {
	'prompts/list': 'prompts',
	'prompts/get': 'prompts',
	'resources/list': 'resources',
	'resources/templates/list': 'resources',
	'resources/read': 'resources',
	'completion/complete': 'completions',
}

/** Prompts, resources and completion: for agents with access to all of a server that speaks the client's era. */
export function planForward(gateway: Gateway, operation: Operation): Plan {
	const { caller, client, request } = operation
	const server = caller.serverId === null ? undefined : gateway.enforcement.server(caller.serverId)
	if (!server || !Object.hasOwn(forwardedMethods, request.method))
		return refuseWith(methodNotFound(request.method))
	if (server.protocolVersion !== null && eraOf(server.protocolVersion) !== client.era)
		return refuseWith(methodNotFound(request.method), '', server)
	return {
		server,
		tool: '',
		refusal: () => gateway.enforcement.refusalOfAll(caller.agentId, server),
		run: () => gateway.upstreams.request({ operation, server, params: request.params, tool: null }),
	}
}
