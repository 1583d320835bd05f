import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from '@signalbox/contract'
import { nowNs } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { bodyMemory, type RequestContext, type Route, readBody } from '../../platform/http/index.ts'
import type { LaneRequest } from '../../platform/http1/lane-request.ts'
import { beginTrace, readTrace } from '../../platform/trace/index.ts'
import { CallBody } from './call-body.ts'
import type { ForwardDependencies } from './call-dependencies.ts'
import type { CallFacts } from './call-record.ts'
import { providerByPath } from './client-answer.ts'
import type { ConnectionEntry } from './connections/connection-view.ts'
import { ModelCall } from './model-call.ts'
import { PlainCall } from './plain-call.ts'
import { type Caller, callerIn, directWay } from './plan-direct.ts'
import { providers, publicBaseUrls } from './providers/index.ts'
import { routedWay } from './routing/plan-route.ts'

const shared = {
	method: '*',
	family: 'model',
	lane: true,
	modelCredentials: true,
	access: { kinds: ['platform_key', 'agent_key'], scope: 'proxy:invoke' },
} as const satisfies Partial<Route>

/** The data-plane routes: `/proxy/{connection}/…`, and the same under `/spotlight/{provider}/v1/…`. */
export function modelRoutes(deps: ForwardDependencies): Route[] {
	return [
		{
			...shared,
			id: 'model-proxy.call',
			path: '/proxy/{connection}/{path...}',
			handle: (request, response, context) => {
				const { connection = '', path = '' } = context.params
				return forwardCall(deps, request, response, context, connection, path)
			},
		},
		{
			...shared,
			id: 'model-proxy.spotlight-call',
			path: '/spotlight/{provider}/v1/{path...}',
			handle: (request, response, context) => {
				const { provider = '', path = '' } = context.params
				return forwardCall(deps, request, response, context, provider, `v1/${path}`)
			},
		},
	]
}

/** `path` is what follows the connection's name. */
function forwardCall(
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
