import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from '@signalbox/contract'
import type { AgentView, ModelAccess } from '../../access/agents/agents.ts'
import { matchesModel } from '../../access/grants/index.ts'
import type { Audit } from '../../accounts/audit/audit.ts'
import { openKnownModels, type PriceCall } from '../../ledger/ledger.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import { type Clock, nowNs } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import type { BoundOperation } from '../../platform/http/operations.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { bodyMemory, readBody } from '../../platform/http/read-body.ts'
import type { RequestContext, Route } from '../../platform/http/route.ts'
import type { LaneRequest } from '../../platform/http1/lane-request.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import { LastUses } from '../../platform/last-uses.ts'
import { createLimiter, type Limiter } from '../../platform/limits/limiter.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { Processes } from '../../platform/processes/processes.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import { beginTrace, readTrace } from '../../platform/trace/current-trace.ts'
import type { CallLog, CallRules, RecordCalls, RowMaker } from '../../telemetry/index.ts'
import type { Budgets } from '../budgets/budgets.ts'
import type { OwnPriceRow } from '../prices/index.ts'
import { CallBody } from './call-body.ts'
import type { ForwardDependencies } from './call-dependencies.ts'
import type { CallFacts } from './call-record.ts'
import { providerByPath } from './client-answer.ts'
import { touchConnection } from './connections/connection-repository.ts'
import { connectionRoutes, createConnections } from './connections/connection-service.ts'
import { type ConnectionEntry, createConnectionView } from './connections/connection-view.ts'
import { DeferredCalls } from './deferred/deferred-calls.ts'
import { handleResults } from './deferred/record-results.ts'
import { createHookView, hookRoutes } from './hooks/hooks.ts'
import { createModelLimits } from './limits/model-limiter.ts'
import { createModelLimitView, modelLimitRoutes } from './limits/model-limits.ts'
import { ModelCall } from './model-call.ts'
import { ObjectOwners } from './objects/object-owners.ts'
import { PlainCall } from './plain-call.ts'
import { type Caller, callerIn, directWay } from './plan-direct.ts'
import { PreparedEndpoints } from './prepared-endpoints.ts'
import { providers, publicBaseUrls } from './providers/index.ts'
import { connectionGone } from './reliability/call-plan.ts'
import { HealthOfTargets } from './reliability/target-health.ts'
import { modelAccessWarnings, modelRouteRoutes } from './routing/change-routes.ts'
import { createModelRouteView } from './routing/model-route.ts'
import { routedWay } from './routing/plan-route.ts'
import type { WorkspaceRules } from './rows/call-rows.ts'
import { UnattendedCalls } from './unattended-calls.ts'

export { refuseModel } from './client-answer.ts'
export { factsInTime } from './rows/call-facts.ts'

const shared = {
	method: '*',
	family: 'model',
	lane: true,
	modelCredentials: true,
	access: { kinds: ['platform_key', 'agent_key'], scope: 'proxy:invoke' },
} as const satisfies Partial<Route>

/** The data-plane routes: `/proxy/{connection}/…`, and the same under `/spotlight/{provider}/v1/…`. */
function modelRoutes(deps: ForwardDependencies): Route[] {
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
	const isPlain = PlainCall.mayBe(request, context)
	const lane = request as unknown as LaneRequest
	if (isPlain && !request.complete && !request.destroyed) {
		context.waited = true
		return lane.ended().then(() => forwardCall(deps, request, response, context, name, path))
	}
	const endpoint = isPlain ? deps.endpoints.of(callerIn(context), name, path) : null
	if (endpoint && PlainCall.begins(deps, lane, response, context, endpoint)) return
	return forwardAnyCall(deps, request, response, context, name, path)
}

/** Runs a call: access decision, body, plan, provider. */
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
	// The client has disconnected while its body was awaited, before the call could learn of it.
	if (response.destroyed) return call.clientGone()
	const { method, headers } = facts
	const ownUrl = `${deps.publicUrl?.replace(/\/$/, '') ?? `http://${headers.host}`}/proxy/${encodeURIComponent(name)}`
	const wanted = { name, path, method, search: context.search, headers, ownUrl }
	const asked = { caller, maker: facts, asked: wanted }
	try {
		if (asksForWebSocket(headers)) throw new Problem('upgrade_required')
		const way = route ? routedWay(deps, asked, route) : directWay(deps, asked, connection ?? null)
		const gone = ({ step } = call) =>
			step && connectionGone(step, deps.connections.find(caller.workspaceId, step.connection))
		const refusal = () => deps.stillValid(caller) ?? way.refusal(call.step) ?? gone()
		context.guard(refusal, (problem) => call.cut(problem))
		deps.unattended.checkBy(call, context.live, () => context.refusal() ?? refusal())
		// The check is repeated, because receiving the body may take long.
		const problem = deps.stillValid(caller) ?? context.refusal()
		if (problem) throw problem
		if (caller.kind === 'agent_key') deps.noteSeen(caller.agentId)
		const holder = { response, owner: caller.keyId }
		const bytes = await readBody(request, deps.bodyLimitBytes, holder)
		const body = await CallBody.read(headers, bytes, deps.bodyLimitBytes)
		if (body.plain !== bytes) bodyMemory.hold(holder, body.plain.length)
		await call.forward(await way.plan(body), body)
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		call.cut(error)
	}
}

/** An offer of HTTP/2 (`Upgrade: h2c`), which Java's own client makes with each request, may be ignored (RFC 9110 §7.8). */
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
		...(connection && { vendor: connection.vendor }),
		method: request.method ?? 'GET',
		path,
		headers: request.headers,
		onDisconnect: caller.onDisconnect ?? 'abort',
	}
}

interface ModelProxyDependencies {
	store: ControlStore
	feed: ChangeFeed
	mutate: Mutate
	clock: Clock
	log: Log
	sealer: Sealer
	audit: Pick<Audit, 'record'>
	identity: { stillValid(principal: Principal): Problem | null }
	agents: { view: AgentView; noteSeen(agentId: string): void }
	calls: CallLog
	/** Builds the rows of calls. */
	rowMaker: Pick<RowMaker, 'add' | 'ask'>
	rulesOf(workspaceId: string): CallRules
	ownPricesOf(workspaceId: string): readonly OwnPriceRow[]
	recordCalls: RecordCalls
	jobs: Jobs
	safeFetch: Pick<SafeFetch, 'dispatcher' | 'assertUrl' | 'fetch'>
	priceCall: PriceCall
	spending: Budgets['spending']
	/** Largest request body; 32 MiB by default. */
	bodyLimitBytes?: number
	publicUrl: string | null
	/** Absent: this is the only process. */
	processes?: Processes
	/** Absent: calls are counted in the memory of this process. */
	limiter?: Limiter
}

interface ModelProxy {
	operations: BoundOperation[]
	routes: Route[]
	/** The parts of an agent's model access that have no effect now. */
	accessWarnings(workspaceId: string, access: ModelAccess): string[]
	close(): Promise<void>
}

const defaultBodyLimitBytes = 32 * 1024 * 1024

/** Opens the model proxy: connections to providers, and the calls over them. */
export function openModelProxy(deps: ModelProxyDependencies): ModelProxy {
	const { store, sealer, log, identity, agents, safeFetch } = deps
	const view = createConnectionView(store, sealer, log)
	const unattended = new UnattendedCalls()
	deps.rowMaker.add('model', {
		module: new URL('./rows/call-rows.ts', import.meta.url),
		rulesOf: (workspaceId): WorkspaceRules => ({
			...deps.rulesOf(workspaceId),
			prices: deps.ownPricesOf(workspaceId),
		}),
	})
	const modelRouteView = createModelRouteView(store.db)
	const knowsModel = openKnownModels(matchesModel)
	const kindOf = (workspaceId: string, name: string) =>
		modelRouteView.find(workspaceId, name) ? 'route' : (view.find(workspaceId, name)?.provider ?? null)
	deps.feed.add(view)
	const limitView = createModelLimitView(store.db)
	deps.feed.add(modelRouteView)
	deps.feed.add(limitView)
	const hookView = createHookView(store.db, sealer)
	deps.feed.add(hookView)
	handleResults(deps)
	const uses = new LastUses({
		...{ db: store.db, clock: deps.clock, log, of: 'provider keys' },
		touch: (tx, { id, workspaceId }, atMs) => touchConnection(tx, workspaceId, id, atMs),
	})
	const limiter = createModelLimits(limitView, deps.limiter ?? createLimiter(deps.clock))
	const credentials = { fetch: safeFetch.fetch, clock: deps.clock }
	const shared = { ...deps, connections: view, hooks: hookView, limiter, agents: agents.view, credentials }
	return {
		operations: [
			...connectionRoutes(createConnections(deps)),
			...modelRouteRoutes(deps),
			...modelLimitRoutes(deps),
			...hookRoutes(deps),
		],
		routes: modelRoutes({
			...shared,
			endpoints: new PreparedEndpoints(shared),
			modelRoutes: modelRouteView,
			health: new HealthOfTargets(),
			unattended,
			sessionOf: async (announced) => String((await deps.rowMaker.ask('model', announced)) ?? ''),
			noteSeen: agents.noteSeen,
			noteUse: uses.note,
			stillValid: identity.stillValid,
			dispatcher: safeFetch.dispatcher,
			objects: new ObjectOwners(store.db, deps.clock, log),
			deferred: new DeferredCalls(deps),
			bodyLimitBytes: deps.bodyLimitBytes ?? defaultBodyLimitBytes,
		}),
		accessWarnings: (workspaceId, access) =>
			modelAccessWarnings(access, (name) => kindOf(workspaceId, name), knowsModel),
		// Running calls end with the listener; upstream connections belong to safeFetch.
		close: async () => {
			await unattended.close()
			await uses.close()
		},
	}
}
