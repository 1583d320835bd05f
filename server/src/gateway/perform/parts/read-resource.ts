import {
	failureOf,
	isObject,
	type JsonObject,
	parseJsonText,
	RpcFailure,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { refusalOfEndpoint } from '../../refusal-of-endpoint.ts'
import { ownResult, type Plan, type PlanResult, refuseWith } from '../plan.ts'
import { askForResource, findResource, type ResourceChoice } from './find-resource.ts'

/** `resources/read`, by the server's own URI; its contents come back under the URI that was asked for. */
export function planReadResource(gateway: Gateway, operation: Operation): Plan {
	const { params } = operation.request
	const { uri } = params
	if (typeof uri !== 'string' || uri === '')
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`uri` must be text.'))
	const plan = planWithResource(gateway, operation, uri, (own) => ({ ...params, uri: own }))
	return { ...plan, run: async () => underAskedUri(uri, await plan.run()) }
}

/** A request about a resource or a template, whose params `paramsFor` writes for the server. */
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

/** Only where the two differ: other results pass as they are. */
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
