import { openAgents } from '../access/agents/index.ts'
import { openApprovals } from '../access/approvals/index.ts'
import { openAuthorizationServer, withChallenge } from '../access/authorization-server/index.ts'
import { openAccessGrants } from '../access/grants/index.ts'
import { openAccessReview } from '../access/review/index.ts'
import { openUpstreamCredentials } from '../access/upstream-credentials/index.ts'
import { openAudit } from '../accounts/audit/index.ts'
import { openEvents, type RecordedCall } from '../accounts/events/index.ts'
import { openIdentity } from '../accounts/identity/index.ts'
import { openLimits } from '../accounts/limits/index.ts'
import { publicAddress } from '../config/public-address.ts'
import { gatewayLimits, openGateway, refuseMcp } from '../gateway/index.ts'
import { openAlerts } from '../insights/alerts/index.ts'
import { openQuestions } from '../insights/questions/index.ts'
import { openMcpQuestions, openSharing, openSpotlight } from '../insights/spotlight/index.ts'
import { openWebhooks } from '../insights/webhooks/index.ts'
import { openBudgets } from '../models/budgets/index.ts'
import { openPrices } from '../models/prices/index.ts'
import { openModelProxy, refuseModel } from '../models/proxy/index.ts'
import { openDemo, openReplayedTimes, withDemoHosts } from '../operate/demo/index.ts'
import { openPlatformMcp } from '../operate/platform-mcp/index.ts'
import { ChangeFeed } from '../platform/changes.ts'
import { DataDisk } from '../platform/data-disk.ts'
import { watchEventLoop } from '../platform/health/index.ts'
import { refuseWithProblem } from '../platform/http/index.ts'
import { openJobs } from '../platform/jobs/index.ts'
import { createLimiter } from '../platform/limits/limiter.ts'
import type { Log } from '../platform/log.ts'
import { createMutate } from '../platform/mutation.ts'
import { alone, WatchedWorkspaces } from '../platform/processes/index.ts'
import { createSafeFetch } from '../platform/safe-fetch.ts'
import { openServers } from '../servers/index.ts'
import { openToolDefinitions } from '../servers/tool-definitions/index.ts'
import { openForwarders } from '../telemetry/forwarders/index.ts'
import {
	type LogRecorder,
	openCallRecording,
	openErasures,
	openRedactionRules,
	openRenormalisations,
	openRetention,
	openShedOfAll,
	openStatsOfAll,
	openTelemetryApi,
	RowMaker,
	withClaims,
} from '../telemetry/index.ts'
import { hostingOf } from './hosting.ts'
import { addressRules } from './reachable.ts'
import { type App, type AppOptions, serveAreas } from './serve-areas.ts'
import { shareChanges } from './share-changes.ts'
import { shareMasterKey } from './share-master-key.ts'
import { clockOperations, watchClock } from './watch-clock.ts'

/** The map: every area, in the order in which a reader should learn them. */
export async function createApp(options: AppOptions): Promise<App> {
	const { config, stores, log, version, ownPorts } = options
	const { processes = alone, toPrimary } = options
	const { control: store, sealer, telemetry } = stores
	const watched = await watchClock({ config, stores, log, isWorker: toPrimary !== undefined })
	const { clock } = watched
	const recorder = withClaims(stores.recorder, processes, clock.nowMs)
	const statsOfAll = openStatsOfAll(recorder, processes, config.WORKERS)
	shareMasterKey(stores.masterKey, processes)
	const feed = new ChangeFeed(store, log, clock)
	const mutate = createMutate(store, feed, shareChanges(feed, processes, log))
	const core = {
		store,
		feed,
		mutate,
		clock,
		log,
		sealer,
		processes,
		limiter: createLimiter(clock, processes),
		watched: new WatchedWorkspaces(processes),
	}
	const jobs = openJobs(core)
	const eventLoop = watchEventLoop()
	const { PUBLIC_URL: publicUrl, RETENTION_DAYS: retentionDays } = config
	const ownAddress = () => publicAddress(config, ownPorts()[0])
	const outside = addressRules(config, ownPorts, (name) => identity.setting(name))
	const safeFetch = createSafeFetch(outside, withDemoHosts)
	const addresses = { publicUrl, publicAddress: ownAddress }

	const audit = openAudit(core)
	const shared = { ...core, ...addresses, audit, jobs, safeFetch, config }
	const identity = await openIdentity({ ...shared, masterKey: stores.masterKey })
	const events = openEvents({ ...shared, identity })
	const webhooks = openWebhooks(shared)
	const limits = openLimits(shared)
	const agents = openAgents({ ...shared, identity, deriveGrants: (...of) => grants.deriveGrants(...of) })
	const definitions = openToolDefinitions(shared)
	const servers = openServers({
		...shared,
		accessOf: (...of) => grants.accessOf(...of),
		hasAgent: (workspaceId, agentId) => agents.view.get(agentId)?.workspaceId === workspaceId,
		callTool: (call) => gateway.callTool(call),
		mayRunPrograms: (workspaceId) => identity.rightsOf(workspaceId).stdio,
		ownUrl: ownAddress,
		hosting: hostingOf(config),
		exchange: toPrimary?.exchange,
		credentialForChecks: (server) => upstreamCredentials.credentialForChecks(server),
	})
	const managed = { ...shared, identity, agents, servers }
	const views = { agents: agents.view, servers: servers.view }
	const upstreamCredentials = openUpstreamCredentials(managed)
	const authorization = openAuthorizationServer(managed)
	const approvals = openApprovals(shared)
	const grants = openAccessGrants({ ...shared, ...views })
	const bodyLimitBytes = config.OTLP_MAX_BODY_BYTES
	const disk = config.CLICKHOUSE_URL ? null : new DataDisk(config.dataDir, config.DISK_RESERVE_BYTES)
	const retention = openRetention({ ...shared, telemetry, retentionDays, disk })
	const redaction = openRedactionRules(shared)
	const keeping = { recorder, telemetry, disk, retention: retention.view, redaction: redaction.view }
	const shedLogs = openShedOfAll({ ...core, recorder: stores.recorder }, config.WORKERS)
	const erasures = openErasures({ ...shared, shedLogs, telemetry, dataDir: config.dataDir })
	const renormalisations = openRenormalisations({ ...shared, telemetry })
	const showCalls = (rows: readonly RecordedCall[]) => events.showCalls(rows)
	const traces = openTelemetryApi({
		...shared,
		...keeping,
		identity,
		bodyLimitBytes,
		showCalls,
		statsOfAll,
		nodeUrl: config.NODE_URL,
		eventLoop,
	})
	const forwarders = openForwarders({ ...shared, telemetry })
	const recording = openCallRecording({ ...shared, recorder: traces.recorder, calls: stores.recorder })
	const rowMaker = openRowMaker(stores.recorder, feed, log)
	const replayed = openReplayedTimes(recording.recorder)
	const traffic = {
		...managed,
		upstreamCredentials,
		grants,
		approvals,
		recorder: replayed.recorder,
		version,
	}
	const { recordsToolContent } = recording.settings
	const gateway = openGateway({
		...traffic,
		safeFetch: servers,
		limits: gatewayLimits(config),
		recordsToolContent,
	})
	const prices = openPrices({ ...shared, telemetry })
	const budgets = openBudgets({ ...shared, ...prices })
	const models = openModelProxy({
		...traffic,
		...prices,
		...budgets,
		calls: recording.calls,
		datedBy: replayed.datedBy,
		rowMaker,
		rulesOf: traces.rulesOf,
		recordCalls: traces.recordCalls,
		bodyLimitBytes: config.MODEL_MAX_BODY_BYTES,
	})
	const spotlight = openSpotlight({ ...shared, ...prices, telemetry })
	const sharing = openSharing({ ...shared, telemetry, redactContent: redaction.redactContent })
	const mcpQuestions = openMcpQuestions({ ...shared, ...views, telemetry, grants: grants.view })
	const questions = openQuestions({ ...shared, ask: spotlight.ask })
	const alerts = openAlerts({ ...shared, telemetry, readFigures: spotlight.readFigures })
	const review = openAccessReview({ ...shared, ...views, telemetry, grants, retentionDays })
	const platformMcp = openPlatformMcp({
		version,
		ingress: (request, response) => app.handle(request, response),
	})

	const demo = openDemo({
		...shared,
		identity,
		telemetry,
		recorder: { stats: statsOfAll },
		times: replayed.times,
		ingress: (request, response) => app.handle(request, response),
	})

	const instanceClock = clockOperations({ clock, mutate, audit })
	const accounts = { audit, instanceClock, identity, events, webhooks, limits, agents }
	const access = { definitions, servers, upstreamCredentials, authorization, approvals, grants }
	const calls = {
		retention,
		redaction,
		erasures,
		renormalisations,
		recording,
		traces,
		forwarders,
		gateway,
		prices,
		budgets,
		models,
		spotlight,
		sharing,
		mcpQuestions,
		questions,
		alerts,
		review,
		platformMcp,
		demo,
		rowMaker,
	}
	const refusals = {
		api: refuseWithProblem,
		page: refuseWithProblem,
		mcp: withChallenge(publicUrl, refuseMcp),
		model: refuseModel,
		otlp: traces.refuse,
	}
	const app = await serveAreas(
		{ ...accounts, ...access, ...calls },
		{
			...options,
			core,
			jobs,
			eventLoop,
			safeFetch,
			refusals,
			watchedClock: watched,
			exchange: servers.exchange,
			statsOfAll,
		},
	)
	return { ...app, makeRows: (batch) => rowMaker.make(batch) }
}

/** Rows of calls are made from the first look at the store on: then it is known what they depend on. */
function openRowMaker(recorder: LogRecorder, feed: ChangeFeed, log: Log): RowMaker {
	const rowMaker = new RowMaker({ recorder, log })
	feed.add(rowMaker)
	feed.onApplied(() => rowMaker.start())
	return rowMaker
}
