import type { IncomingMessage, ServerResponse } from 'node:http'
import { openAccessGrants } from './access-grants/index.ts'
import { openAccessReview } from './access-review/index.ts'
import { openAgents } from './agents/index.ts'
import { openApprovals } from './approvals/index.ts'
import { openAudit } from './audit/index.ts'
import { openAuthorizationServer, withChallenge } from './authorization-server/index.ts'
import { openBudgets } from './budgets/index.ts'
import type { Config } from './config.ts'
import { openEvents } from './events/index.ts'
import { openGateway, refuseMcp } from './gateway/index.ts'
import { hostingOf } from './hosting.ts'
import { openIdentity } from './identity/index.ts'
import { openLimits } from './limits/index.ts'
import { describeLogTrouble, fillOf } from './log-fill.ts'
import { openModelProxy, refuseModel } from './model-proxy/index.ts'
import { ChangeFeed } from './platform/changes.ts'
import { systemClock as clock } from './platform/clock.ts'
import { createHealth, createMetrics } from './platform/health/index.ts'
import {
	createApi,
	createClientAddressOf,
	createDoor,
	createIdempotency,
	createOriginCheck,
	LiveRequests,
	type Route,
	refuseWithProblem,
	withCors,
} from './platform/http/index.ts'
import { pageRoutes } from './platform/http/pages/index.ts'
import { openJobs } from './platform/jobs/index.ts'
import type { Log } from './platform/log.ts'
import { createMutate } from './platform/mutation.ts'
import { watchOverload } from './platform/overload/index.ts'
import { createSafeFetch } from './platform/safe-fetch.ts'
import { openPlatformMcp } from './platform-mcp/index.ts'
import { openPrices } from './prices/index.ts'
import { publicAddress } from './public-address.ts'
import { addressRules, originRules } from './reachable.ts'
import { openServers } from './servers/index.ts'
import { openSpotlight } from './spotlight/index.ts'
import type { Stores } from './stores.ts'
import { openTelemetryApi, recorderFigures, refuseOtlp } from './telemetry/index.ts'
import { openToolDefinitions } from './tool-definitions/index.ts'
import { openUpstreamCredentials } from './upstream-credentials/index.ts'
import { openWebhooks } from './webhooks/index.ts'

export interface App {
	/** The one route table: everything that the instance answers. */
	routes: readonly Route[]
	handle(request: IncomingMessage, response: ServerResponse): void
	/** The one-time setup address' secret, while no operator exists. */
	setupToken: string | null
	/** From now on /readyz answers 503. */
	drain(): void
	/** Ends the background work of the areas. */
	close(): Promise<void>
}

export interface AppOptions {
	config: Config
	stores: Stores
	log: Log
	version: string
	/** Ports of our own listeners, which no upstream address may name. */
	ownPorts(): readonly number[]
}

/** The map: every area, in the order in which a reader should learn them. */
export async function createApp({ config, stores, log, version, ownPorts }: AppOptions): Promise<App> {
	const { control: store, recorder, sealer, telemetry } = stores
	const feed = new ChangeFeed(store, log, clock)
	const shared = { store, feed, mutate: createMutate(store, feed), clock, log, sealer }
	const jobs = openJobs(shared)
	const ownAddress = () => publicAddress(config, ownPorts()[0])
	const safeFetch = createSafeFetch(addressRules(config, ownPorts, (name) => identity.setting(name)))

	const audit = openAudit(shared)
	const identity = await openIdentity({
		...shared,
		audit,
		masterKey: stores.masterKey,
		safeFetch,
		config,
		publicAddress: ownAddress,
	})
	const events = openEvents({ ...shared, jobs, identity })
	const webhooks = openWebhooks({ ...shared, audit, jobs, safeFetch })
	const limits = openLimits({ ...shared, audit, config })
	const agents = openAgents({
		...shared,
		audit,
		identity,
		publicUrl: config.PUBLIC_URL,
		deriveGrants: (...of) => grants.deriveGrants(...of),
	})
	const definitions = openToolDefinitions({ ...shared, audit, jobs })
	const servers = openServers({
		...shared,
		audit,
		jobs,
		safeFetch,
		accessOf: (...of) => grants.accessOf(...of),
		hasAgent: (workspaceId, agentId) => agents.view.get(agentId)?.workspaceId === workspaceId,
		callTool: (call) => gateway.callTool(call),
		mayRunPrograms: (workspaceId) => identity.rightsOf(workspaceId).stdio,
		ownUrl: ownAddress,
		hosting: hostingOf(config),
		credentialForChecks: (server) => upstreamCredentials.credentialForChecks(server),
	})
	const upstreamCredentials = openUpstreamCredentials({
		...shared,
		audit,
		agents,
		servers,
		safeFetch,
		publicUrl: config.PUBLIC_URL,
		publicAddress: ownAddress,
	})
	const authorization = openAuthorizationServer({
		...shared,
		audit,
		identity,
		agents,
		servers,
		safeFetch,
		publicUrl: config.PUBLIC_URL,
	})
	const approvals = openApprovals({ ...shared, audit, jobs })
	const grants = openAccessGrants({ ...shared, audit, agents: agents.view, servers: servers.view })
	const traces = openTelemetryApi({
		...shared,
		recorder,
		telemetry,
		identity,
		retentionDays: config.RETENTION_DAYS,
		bodyLimitBytes: config.OTLP_MAX_BODY_BYTES,
	})
	const gateway = openGateway({
		...shared,
		identity,
		agents,
		servers,
		upstreamCredentials,
		grants,
		approvals,
		recorder,
		safeFetch: servers,
		publicAddress: ownAddress,
		version,
	})
	const prices = openPrices({ ...shared, audit, telemetry })
	const budgets = openBudgets({ ...shared, ...prices, audit, jobs })
	const money = { ...prices, ...budgets }
	const models = openModelProxy({ ...shared, ...money, audit, identity, agents, recorder, safeFetch })
	recorder.onRecorded((rows) => events.showCalls(rows))
	const spotlight = openSpotlight({ telemetry, clock })
	const review = openAccessReview({
		...shared,
		audit,
		telemetry,
		agents: agents.view,
		servers: servers.view,
		grants,
		retentionDays: config.RETENTION_DAYS,
	})

	const platformMcp = openPlatformMcp({ version, door: (request, response) => handle(request, response) })
	const metrics = createMetrics()
	metrics.add(recorderFigures(recorder))
	metrics.add(jobs.figures)
	const overload = watchOverload({
		lagMs: config.OVERLOAD_LAG_MS,
		logFill: () => fillOf(recorder.stats()),
		log,
	})
	metrics.add(overload.figures)
	metrics.add(limits.figures)
	let draining = false
	const health = createHealth({
		version,
		metrics,
		metricsToken: config.METRICS_TOKEN,
		exposed: config.exposed,
		isDraining: () => draining,
		checks: {
			control_store: () => (feed.isStale() ? 'does not answer' : null),
			telemetry_log: () => describeLogTrouble(recorder.stats()),
		},
	})

	const areas = [
		audit,
		identity,
		events,
		webhooks,
		limits,
		agents,
		definitions,
		servers,
		upstreamCredentials,
		authorization,
		approvals,
		grants,
		traces,
		gateway,
		prices,
		budgets,
		models,
		spotlight,
		review,
		platformMcp,
		health,
	]
	const api = await createApi(
		areas.flatMap((area) => ('operations' in area ? area.operations : [])),
		log,
		audit.recordDenial,
		createIdempotency(shared),
		audit.countDenial,
	)
	const routes = [
		...api.routes,
		...areas.flatMap((area) => ('routes' in area ? area.routes : [])),
		...pageRoutes({ version, log, publicUrl: config.PUBLIC_URL }),
	]

	const liveRequests = new LiveRequests()
	feed.onApplied(() => liveRequests.recheck())
	feed.onApplied(() => safeFetch.closeRefused())
	// A key may also expire while its stream runs, which no change announces.
	const expiry = setInterval(() => liveRequests.recheck(), 1000).unref()
	await feed.start()
	await audit.start()
	await identity.start()
	stores.masterKey.resume()
	await servers.start()
	jobs.start()

	const checkOrigin = createOriginCheck(originRules(config))
	const handle = withCors({
		origins: config.CORS_ORIGINS,
		routes,
		checkOrigin,
		handle: createDoor({
			routes,
			authenticate: identity.authenticate,
			refusals: {
				api: refuseWithProblem,
				page: refuseWithProblem,
				mcp: withChallenge(config.PUBLIC_URL, refuseMcp),
				model: refuseModel,
				otlp: refuseOtlp,
			},
			checkOrigin,
			onDenied: (route, principal, problem, requestId) =>
				route.family === 'api'
					? audit.recordDenial({ principal, routeId: route.id, problem, requestId })
					: undefined,
			onAnonymousDenied: audit.countDenial,
			stillAllowedFrom: identity.stillAllowedFrom,
			clientAddressOf: createClientAddressOf(config.TRUSTED_PROXIES),
			overload,
			limiter: limits.limiter,
			liveRequests,
			https: config.PUBLIC_URL?.startsWith('https:') ?? false,
			log,
		}),
	})
	return {
		routes,
		handle,
		setupToken: identity.setupToken,
		drain: () => {
			draining = true
			events.endStreams()
			gateway.drain()
		},
		close: async () => {
			clearInterval(expiry)
			overload.close()
			await Promise.all([
				jobs.close(),
				servers.close(),
				definitions.close(),
				agents.close(),
				gateway.close(),
				models.close(),
				budgets.close(),
				identity.close(),
				traces.close(),
			])
			await audit.close()
			await feed.stop()
			await api.close()
			await safeFetch.close()
		},
	}
}
