import type { AgentView } from '../../access/agents/index.ts'
import { decideModelAccess } from '../../access/grants/index.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import { Problem } from '../../platform/errors.ts'
import {
	type AgentPrincipal,
	type KeyPrincipal,
	principalIn,
	type RequestContext,
} from '../../platform/http/index.ts'

export type Caller = KeyPrincipal | AgentPrincipal

export interface JudgeDependencies {
	feed: Pick<ChangeFeed, 'isStale'>
	agents: AgentView
}

export function callerIn(context: RequestContext): Caller {
	const principal = principalIn(context)
	if (principal.kind === 'platform_key' || principal.kind === 'agent_key') return principal
	throw new Problem('internal', 'A model route ran for another kind of caller.')
}

/** Whether the caller may call this connection and model, by what is known now; undefined asks for the connection alone. */
export function judgeCaller(
	{ feed, agents }: JudgeDependencies,
	caller: Caller,
	connection: string,
	model: string | null | undefined,
): Problem | null {
	if (feed.isStale()) return new Problem('stale_permissions', undefined, { retryAfterS: 1 })
	if (caller.kind !== 'agent_key') return null
	const found = agents.get(caller.agentId)
	const agent = found?.workspaceId === caller.workspaceId ? found : undefined
	const { allowed, reason, text } = decideModelAccess({ agent, connection, model })
	if (allowed) return null
	const aboutAgent = reason === 'agent_unknown' || reason === 'agent_not_active'
	return new Problem(aboutAgent ? 'agent_not_active' : 'model_not_granted', text)
}

/** Only then is it worth looking for the model. */
export function selectsModels({ agents }: JudgeDependencies, caller: Caller): boolean {
	return caller.kind === 'agent_key' && agents.get(caller.agentId)?.modelAccess.mode !== 'all'
}
