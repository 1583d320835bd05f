import type { agentOperations, BodyOf, OutputOf } from '@signalbox/contract'
import { principalIn, type RequestContext } from '../../platform/http/index.ts'
import { agentOrNotFound } from './change-agents.ts'
import type { AgentContext } from './context.ts'

type CreateKey = (typeof agentOperations)['createKey']

/** Makes a key that acts as the agent; its secret is in the answer and nowhere else. */
export async function createAgentKey(
	agents: AgentContext,
	request: RequestContext,
	agentId: string,
	{ name, expires_at, allowed_addresses, on_disconnect }: BodyOf<CreateKey>,
): Promise<OutputOf<CreateKey>> {
	const by = principalIn(request)
	const { workspaceId } = by
	return agents.mutate(async (tx) => {
		await agentOrNotFound(tx, agents, workspaceId, agentId)
		const expiresAtMs = typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at
		const wanted = {
			workspaceId,
			kind: 'agent' as const,
			name,
			agentId,
			expiresAtMs,
			allowedAddresses: allowed_addresses,
			...(on_disconnect && { onDisconnect: on_disconnect }),
			by,
			requestId: request.requestId,
		}
		const { fields, secret } = await agents.identity.createCredential(tx, wanted)
		return { ...fields, key: secret }
	})
}
