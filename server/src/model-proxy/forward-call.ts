import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentView } from '../agents/index.ts'
import type { ChangeFeed } from '../platform/changes.ts'
import { nowNs } from '../platform/clock.ts'
import { Problem } from '../platform/errors.ts'
import {
	type AgentPrincipal,
	type KeyPrincipal,
	type Principal,
	principalIn,
	type RequestContext,
	readBody,
} from '../platform/http/index.ts'
import type { CallFacts } from './call-record.ts'
import type { ConnectionEntry, ConnectionView } from './connections/connection-entry.ts'
import { ModelCall, type ModelCallDependencies } from './model-call.ts'
import { providers } from './providers/index.ts'
import { providerByPath } from './refuse-model.ts'
import { resolveTarget } from './target.ts'
import { continueTrace } from './trace-context.ts'

export interface ForwardDependencies extends ModelCallDependencies {
	feed: Pick<ChangeFeed, 'isStale'>
	connections: ConnectionView
	agents: AgentView
	noteSeen(agentId: string): void
	stillValid(principal: Principal): Problem | null
	bodyLimitBytes: number
}

/** Takes a call through its life: judge → target → body → provider. `path` is what follows the connection's name. */
export async function forwardCall(
	deps: ForwardDependencies,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
	name: string,
	path: string,
): Promise<void> {
	const caller = callerIn(context)
	const connection = deps.connections.find(caller.workspaceId, name)
	const provider = connection ? providers[connection.provider] : providerByPath(request)
	const facts = factsOf(deps, request, context, caller, connection, name, path)
	const call = new ModelCall(deps, facts, provider, request, response)
	try {
		throwIf(judgeCaller(deps, caller))
		const { method, headers } = facts
		const target = resolveTarget({ name, path, method, search: context.search, headers }, connection)
		context.guard(
			() => deps.stillValid(caller) ?? judgeCaller(deps, caller),
			(problem) => call.cut(problem),
		)
		if (caller.kind === 'agent_key') deps.noteSeen(caller.agentId)
		await call.forward(target, await readBody(request, deps.bodyLimitBytes))
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		call.cut(error)
	}
}

type Caller = KeyPrincipal | AgentPrincipal

function callerIn(context: RequestContext): Caller {
	const principal = principalIn(context)
	if (principal.kind === 'platform_key' || principal.kind === 'agent_key') return principal
	throw new Problem('internal', 'A model route ran for another kind of caller.')
}

/** Whether the caller may call at all, by what is known now. */
function judgeCaller(deps: ForwardDependencies, caller: Caller): Problem | null {
	if (deps.feed.isStale()) return new Problem('stale_permissions', undefined, { retryAfterS: 1 })
	if (caller.kind !== 'agent_key') return null
	const agent = deps.agents.get(caller.agentId)
	if (agent?.workspaceId === caller.workspaceId && agent.status === 'active') return null
	return new Problem('agent_not_active', `The agent is ${agent?.status ?? 'gone'}.`)
}

function factsOf(
	deps: ForwardDependencies,
	request: IncomingMessage,
	context: RequestContext,
	caller: Caller,
	connection: ConnectionEntry | undefined,
	name: string,
	path: string,
): CallFacts {
	const agentId = caller.kind === 'agent_key' ? caller.agentId : ''
	return {
		requestId: context.requestId,
		trace: continueTrace(request.headers),
		startNs: nowNs(),
		workspaceId: caller.workspaceId,
		credentialId: caller.keyId,
		agentId,
		agentName: deps.agents.get(agentId)?.name ?? '',
		connection: name,
		provider: connection?.provider ?? (name === 'openai' || name === 'anthropic' ? name : ''),
		method: request.method ?? 'GET',
		path,
		headers: request.headers,
	}
}

function throwIf(problem: Problem | null): void {
	if (problem) throw problem
}
