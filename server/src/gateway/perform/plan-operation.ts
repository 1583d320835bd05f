import { isObject, methodNotFound, RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { planTaskRequest, taskMethods } from '../tasks/plan-task-request.ts'
import { planCallTool } from './call-tool.ts'
import { planListTools } from './list-tools.ts'
import { listedKinds, planListParts } from './parts/list-parts.ts'
import { planGetPrompt, planReadResource, planWithPrompt, planWithResource } from './parts/use-parts.ts'
import { type Plan, refuseWith } from './plan.ts'

/** `completion/complete` for an argument of a prompt or a template, for callers that may use that. */
export function planComplete(gateway: Gateway, operation: Operation): Plan {
	const { params } = operation.request
	const ref = isObject(params.ref) ? params.ref : {}
	if (ref.type === 'ref/prompt' && typeof ref.name === 'string')
		return planWithPrompt(gateway, operation, ref.name, (name) => ({ ...params, ref: { ...ref, name } }))
	if (ref.type === 'ref/resource' && typeof ref.uri === 'string')
		return planWithResource(gateway, operation, ref.uri, (uri) => ({ ...params, ref: { ...ref, uri } }))
	return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`ref` must name a prompt or a resource.'))
}

type Planner = (gateway: Gateway, operation: Operation) => Plan

/** All lists but that of tools follow the same rule. */
const lists = Object.entries(listedKinds).map(
	([method, kind]) =>
		[method, (gateway, operation) => planListParts(gateway, operation, kind)] satisfies [string, Planner],
)
const planners: ReadonlyMap<string, Planner> = new Map<string, Planner>([
	['tools/call', planCallTool],
	['tools/list', planListTools],
	['prompts/get', planGetPrompt],
	['resources/read', planReadResource],
	['completion/complete', planComplete],
	...lists,
	...taskMethods.map((method) => [method, planTaskRequest] satisfies [string, Planner]),
])

/** Plans an operation that exists in both eras. */
export function planOperation(gateway: Gateway, operation: Operation): Plan {
	const plan = planners.get(operation.request.method)
	return plan ? plan(gateway, operation) : refuseWith(methodNotFound(operation.request.method))
}
