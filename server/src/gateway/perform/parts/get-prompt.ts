import { type JsonObject, namedFailure, RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { type Plan, refuseWith } from '../plan.ts'
import { findPrompt } from './find-prompt.ts'

/** `prompts/get`, by the server's own name. */
export function planGetPrompt(gateway: Gateway, operation: Operation): Plan {
	const { name } = operation.request.params
	if (typeof name !== 'string' || name === '')
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`name` must be text.'))
	return planWithPrompt(gateway, operation, name, (own) => ({ ...operation.request.params, name: own }))
}

/** A request about a prompt, whose params `paramsFor` writes for the server. */
export function planWithPrompt(
	gateway: Gateway,
	operation: Operation,
	name: string,
	paramsFor: (own: string) => JsonObject,
): Plan {
	const { enforcement, upstreams } = gateway
	const { caller } = operation
	const choice = findPrompt(gateway, caller, name)
	if (!choice) return refuseWith(unknownPrompt(name))
	const { server } = choice
	let { own } = choice
	const refusal = () =>
		own === null
			? enforcement.refusalOfServer(caller.agentId, server)
			: enforcement.refusalOfPart(caller.agentId, server, { prompt: own })
	return {
		server,
		tool: '',
		refusal,
		run: async () => {
			own ??= await choice.ask()
			const refused = refusal()
			if (refused) throw refused
			return upstreams.request({ operation, server, params: paramsFor(own), tool: null })
		},
	}
}

function unknownPrompt(name: string): RpcFailure {
	const text = `The prompt ${name.slice(0, 256)} is not granted to this agent.`
	return namedFailure(rpcCodes.invalidParams, 'prompt_not_selected', text, {
		status: 'denied',
		facts: { prompt: name },
	})
}
