import { isObject, RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { type Plan, refuseWith } from '../plan.ts'
import { planWithPrompt } from './get-prompt.ts'
import { planWithResource } from './read-resource.ts'

/** `completion/complete`: of an argument of a prompt or of a template, for who may use that. */
export function planComplete(gateway: Gateway, operation: Operation): Plan {
	const { params } = operation.request
	const ref = isObject(params.ref) ? params.ref : {}
	if (ref.type === 'ref/prompt' && typeof ref.name === 'string')
		return planWithPrompt(gateway, operation, ref.name, (name) => ({ ...params, ref: { ...ref, name } }))
	if (ref.type === 'ref/resource' && typeof ref.uri === 'string')
		return planWithResource(gateway, operation, ref.uri, (uri) => ({ ...params, ref: { ...ref, uri } }))
	return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`ref` must name a prompt or a resource.'))
}
