import type { IncomingMessage, ServerResponse } from 'node:http'
import { decideModelAccess } from '../access-grants/index.ts'
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
import { beginTrace, readTrace } from '../platform/trace/index.ts'
import { modelIn } from './asked-model.ts'
import type { CallFacts } from './call-record.ts'
import type { ConnectionEntry, ConnectionView } from './connections/connection-entry.ts'
import { ModelCall, type ModelCallDependencies } from './model-call.ts'
import { providers } from './providers/index.ts'
import { providerByPath } from './refuse-model.ts'
import { CallPlan, direct } from './reliability/call-plan.ts'
import { resolveTarget } from './target.ts'

export interface ForwardDependencies extends ModelCallDependencies {
	feed: Pick<ChangeFeed, 'isStale'>
	connections: ConnectionView
	agents: AgentView
	noteSeen(agentId: string): void
	/** A call goes out with the stored key. */
	noteUse(connection: ConnectionEntry): void
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
	// Known once the body is here; until then only the connection is judged.
	let model: string | null | undefined
	try {
		throwIf(judgeCaller(deps, caller, name, model))
		const { method, headers } = facts
		const target = resolveTarget({ name, path, method, search: context.search, headers }, connection)
		context.guard(
			() => deps.stillValid(caller) ?? judgeCaller(deps, caller, name, model),
			(problem) => call.cut(problem),
		)
		if (caller.kind === 'agent_key') deps.noteSeen(caller.agentId)
		if (connection && !target.ownKey) deps.noteUse(connection)
		const body = await readBody(request, deps.bodyLimitBytes)
		if (selectsModels(deps, caller)) {
			model = modelIn(request.headers, body)
			throwIf(judgeCaller(deps, caller, name, model))
		}
		const step = { connection: name, target, model: null, body, health: null }
		await call.forward(new CallPlan([step], direct), body)
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

/** Whether the caller may call this connection and model, by what is known now. */
function judgeCaller(
	deps: ForwardDependencies,
	caller: Caller,
	connection: string,
	model: string | null | undefined,
): Problem | null {
	if (deps.feed.isStale()) return new Problem('stale_permissions', undefined, { retryAfterS: 1 })
	if (caller.kind !== 'agent_key') return null
	const found = deps.agents.get(caller.agentId)
	const agent = found?.workspaceId === caller.workspaceId ? found : undefined
	const { allowed, reason, text } = decideModelAccess({ agent, connection, model })
	if (allowed) return null
	const aboutAgent = reason === 'agent_unknown' || reason === 'agent_not_active'
	return new Problem(aboutAgent ? 'agent_not_active' : 'model_not_granted', text)
}

/** Only then is it worth looking for the model. */
function selectsModels(deps: ForwardDependencies, caller: Caller): boolean {
	return caller.kind === 'agent_key' && deps.agents.get(caller.agentId)?.modelAccess.mode !== 'all'
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
		trace: readTrace(request.headers.traceparent, request.headers.tracestate) ?? beginTrace(),
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
