import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from '@signalbox/contract'
import { nowNs } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { bodyMemory, type Principal, type RequestContext, readBody } from '../../platform/http/index.ts'
import type { LaneRequest } from '../../platform/http1/lane-request.ts'
import { beginTrace, readTrace } from '../../platform/trace/index.ts'
import { CallBody } from './call-body.ts'
import type { ModelCallDependencies } from './call-dependencies.ts'
import type { CallFacts } from './call-record.ts'
import type { ConnectionEntry } from './connections/connection-entry.ts'
import type { EndpointPlans } from './endpoint-plan.ts'
import { type Caller, callerIn } from './judge-caller.ts'
import { ModelCall } from './model-call.ts'
import { PlainCall } from './plain-call.ts'
import { directWay } from './plan-direct.ts'
import { providers, publicBaseUrls } from './providers/index.ts'
import { providerByPath } from './refuse-model.ts'
import { type RouteDependencies, routedWay } from './routing/plan-route.ts'
import type { ModelRouteView } from './routing/route-view.ts'

export interface ForwardDependencies
	extends ModelCallDependencies,
		Omit<RouteDependencies, 'objects' | 'deferred'> {
	modelRoutes: ModelRouteView
	noteSeen(agentId: string): void
	stillValid(principal: Principal): Problem | null
	bodyLimitBytes: number
	plans: EndpointPlans
}

/** `path` is what follows the connection's name. */
export function forwardCall(
	deps: ForwardDependencies,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
	name: string,
	path: string,
): void | Promise<void> {
	const forward = () => {
		const plan = isPlain ? deps.plans.of(callerIn(context), name, path) : null
		if (plan && PlainCall.begins(deps, request as unknown as LaneRequest, response, context, plan)) return
		return forwardAnyCall(deps, request, response, context, name, path)
	}
	const isPlain = PlainCall.mayBe(request, context)
	if (!isPlain || request.complete) return forward()
	return (request as unknown as LaneRequest).ended().then(forward)
}

/** Takes a call through its life: judge → body → plan → provider. */
async function forwardAnyCall(
	deps: ForwardDependencies,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
	name: string,
	path: string,
): Promise<void> {
	const caller = callerIn(context)
	const connection = deps.connections.find(caller.workspaceId, name)
	const route = connection ? undefined : deps.modelRoutes.find(caller.workspaceId, name)
	const provider = connection ? providers[connection.provider] : providerByPath(request)
	const facts = factsOf(deps, request, context, caller, connection, name, path)
	const call = new ModelCall(deps, facts, provider, request, response)
	const { method, headers } = facts
	const asked = { caller, maker: facts, asked: { name, path, method, search: context.search, headers } }
	try {
		if (asksForWebSocket(headers)) throw new Problem('upgrade_required')
		const way = route ? routedWay(deps, asked, route) : directWay(deps, asked, connection ?? null)
		context.guard(
			() => deps.stillValid(caller) ?? way.judge(call.step),
			(problem) => call.cut(problem),
		)
		// It may have waited for its body.
		const problem = deps.stillValid(caller) ?? context.refusal()
		if (problem) throw problem
		if (caller.kind === 'agent_key') deps.noteSeen(caller.agentId)
		const holder = { response, owner: caller.keyId }
		const bytes = await readBody(request, deps.bodyLimitBytes, holder)
		const body = await CallBody.read(headers, bytes, deps.bodyLimitBytes)
		if (body.plain !== bytes) bodyMemory.hold(holder)(body.plain.length)
		await call.forward(await way.plan(body), body)
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		call.cut(error)
	}
}

/** An offer of HTTP/2 (`Upgrade: h2c`), as Java's own client makes it with each request, may be passed over: RFC 9110, 7.8. */
function asksForWebSocket({ upgrade }: IncomingMessage['headers']): boolean {
	return /\bwebsocket\b/i.test(upgrade ?? '')
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
		provider: connection?.provider ?? (Object.hasOwn(publicBaseUrls, name) ? (name as Provider) : ''),
		method: request.method ?? 'GET',
		path,
		headers: request.headers,
		onDisconnect: caller.onDisconnect ?? 'abort',
	}
}
