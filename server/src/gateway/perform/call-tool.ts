import type { Gateway } from '../gateway.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/failure.ts'
import { isObject, type JsonObject } from '../json-rpc/message.ts'
import { withinLimits } from '../limits-of-calls/within-limits.ts'
import type { Operation } from '../operation.ts'
import { admit } from './admit.ts'
import type { GatedCall } from './await-approval.ts'
import { type Plan, refuseWith } from './plan.ts'

/** `tools/call`: chosen and judged by the same rule as the list, then sent on under the server's own name. */
export function planCallTool(gateway: Gateway, operation: Operation): Plan {
	const { caller, request } = operation
	const name = request.params.name
	if (typeof name !== 'string' || name === '') return refuseWith(invalidParams('`name` must be text.'))
	if (!hasObjectArguments(request.params))
		return refuseWith(invalidParams('`arguments` must be an object.'), name)
	const values = request.params.arguments ?? {}
	const choose = () => gateway.enforcement.choose(caller.agentId, caller.serverId, name, values)
	const choice = choose()
	const { server, tool, refusal } = choice
	let { approval } = choice
	let onReleased = () => {}
	if (refusal || !server || !tool)
		return refuseWith(refusal ?? invalidParams('There is no such tool.'), tool?.name ?? name, server ?? null)
	const params = { ...request.params, name: tool.name }
	const send = () => gateway.upstreams.request({ operation, server, params, tool })
	return {
		server,
		tool: tool.name,
		refusal: () => {
			const now = choose()
			approval = now.approval
			if (!now.refusal && !approval) onReleased()
			return now.refusal
		},
		run: () =>
			withinLimits(gateway, operation, { server, tool: tool.name }, () => {
				if (!approval && !operation.serverState?.isApproved) return send()
				const gated: GatedCall = {
					server,
					tool: tool.name,
					arguments: values,
					approval: () => approval,
					onReleased: (released) => {
						onReleased = released
					},
				}
				return admit(gateway, operation, gated).then(send)
			}),
	}
}

function hasObjectArguments(params: JsonObject): boolean {
	return params.arguments === undefined || isObject(params.arguments)
}

function invalidParams(text: string): RpcFailure {
	return new RpcFailure(rpcCodes.invalidParams, text)
}
