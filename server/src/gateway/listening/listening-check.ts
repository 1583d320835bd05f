import { Problem } from '../../platform/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { McpHttpRequest } from '../handle-post.ts'

/** Why the caller of a long stream may not listen any more; null while it may. */
export function listeningCheck(
	gateway: Gateway,
	{ caller }: Pick<McpHttpRequest, 'caller'>,
): () => Problem | null {
	return () => {
		const problem = gateway.stillValid(caller.principal)
		if (problem) return problem
		const refusal = gateway.enforcement.refusalOfAgent(caller.agentId)
		return refusal && new Problem('agent_not_active', refusal.message)
	}
}
