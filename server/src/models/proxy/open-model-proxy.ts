import type { AgentView, ModelAccess } from '../../access/agents/index.ts'
import { matchesModel } from '../../access/grants/index.ts'
import type { Audit } from '../../accounts/audit/index.ts'
import { openKnownModels, type PriceCall } from '../../ledger/index.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Problem } from '../../platform/errors.ts'
import type { BoundOperation, Principal, Route } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import { LastUses } from '../../platform/last-uses.ts'
import { createLimiter, type Limiter } from '../../platform/limits/limiter.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { Processes } from '../../platform/processes/index.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { CallLog, CallRules, RecordCalls, RowMaker } from '../../telemetry/index.ts'
import type { Budgets } from '../budgets/index.ts'
import type { OwnPriceRow } from '../prices/index.ts'
import { createConnectionView } from './connections/connection-view.ts'
import { touchConnection } from './connections/repository.ts'
import { connectionRoutes, createConnections } from './connections/service.ts'
import { DeferredCalls } from './deferred/deferred-calls.ts'
import { handleResults } from './deferred/record-results.ts'
import { EndpointPlans } from './endpoint-plan.ts'
import { modelRoutes } from './forward-call.ts'
import { hookRoutes } from './hooks/change-hooks.ts'
import { createHookView } from './hooks/hook-view.ts'
import { modelLimitRoutes } from './limits/change-limits.ts'
import { createModelLimitView } from './limits/limit-view.ts'
import { createModelLimits } from './limits/model-limiter.ts'
import { ObjectOwners } from './objects/object-owners.ts'
import { HealthOfTargets } from './reliability/target-health.ts'
import { modelAccessWarnings, modelRouteRoutes } from './routing/change-routes.ts'
import { createModelRouteView } from './routing/route-view.ts'
import type { WorkspaceRules } from './rows/call-rows.ts'
import { UnattendedCalls } from './unattended-calls.ts'

export interface ModelProxyDependencies {
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
	/** Where the rows of calls are made. */
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
	/** Absent: this process is alone. */
	processes?: Processes
	/** Absent: calls are counted in the memory of this process. */
	limiter?: Limiter
}

export interface ModelProxy {
	operations: BoundOperation[]
	routes: Route[]
	/** What of an agent's model access opens nothing now. */
	accessWarnings(workspaceId: string, access: ModelAccess): string[]
	close(): Promise<void>
}

const defaultBodyLimitBytes = 32 * 1024 * 1024

/** Opens the model proxy: connections to providers, and the calls that go over them. */
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
	const uses = new LastUses<{ id: string; workspaceId: string }>({
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
			plans: new EndpointPlans(shared),
			modelRoutes: modelRouteView,
			health: new HealthOfTargets(),
			unattended,
			sessionOf: async (announced) => String((await deps.rowMaker.ask('model', announced)) ?? ''),
			noteSeen: agents.noteSeen,
			noteUse: (connection) => uses.note(connection),
			stillValid: identity.stillValid,
			dispatcher: safeFetch.dispatcher,
			objects: new ObjectOwners(store.db, deps.clock, log),
			deferred: new DeferredCalls(deps),
			bodyLimitBytes: deps.bodyLimitBytes ?? defaultBodyLimitBytes,
		}),
		accessWarnings: (workspaceId, access) =>
			modelAccessWarnings(access, (name) => kindOf(workspaceId, name), knowsModel),
		// Running calls end with the listener; the connections upstream belong to safeFetch.
		close: async () => {
			await unattended.close()
			await uses.close()
		},
	}
}
