import { join } from 'node:path'
import { type ModelAccess, openAgents, openAgentView } from '../access/agents/agents.ts'
import { openApprovals } from '../access/approvals/approvals.ts'
import {
	openAuthorizationServer,
	withChallenge,
} from '../access/authorization-server/authorization-server.ts'
import { openAccessGrants } from '../access/grants/index.ts'
import { openAccessReview } from '../access/review/index.ts'
import { openUpstreamCredentials } from '../access/upstream-credentials/upstream-credentials.ts'
import { openEvents } from '../accounts/events/events.ts'
import { openIdentity } from '../accounts/identity/identity.ts'
import { openLimits } from '../accounts/limits/limits.ts'
import { gatewayLimits, openGateway, refuseMcp, toolFactsInTime } from '../gateway/index.ts'
import { openAlerts } from '../insights/alerts/alerts.ts'
import { openSavedViews } from '../insights/saved-views/saved-views.ts'
import { openSharing, openSpotlight, openToolInsights } from '../insights/spotlight/spotlight.ts'
import { openWebhooks } from '../insights/webhooks/webhooks.ts'
import { openBudgets } from '../models/budgets/budgets.ts'
import { openPrices } from '../models/prices/index.ts'
import { factsInTime, openModelProxy, refuseModel } from '../models/proxy/index.ts'
import { openDemo, openDemoHosts } from '../operate/demo/demo.ts'
import { openPlatformMcp } from '../operate/platform-mcp/platform-mcp.ts'
import { DataDisk } from '../platform/data-disk.ts'
import { refuseWithProblem } from '../platform/http/refusals.ts'
import { openServers, openServerView, type ToolCall, type ToolCallOutcome } from '../servers/servers.ts'
import { openToolDefinitions } from '../servers/tool-definitions/tool-definitions.ts'
import { openForwarders } from '../telemetry/forwarders/forwarders.ts'
import {
	openCallRecording,
	openErasures,
	openRedactionRules,
	openRenormalisations,
	openRetention,
	openShedOfAll,
	openTelemetryApi,
} from '../telemetry/index.ts'
import { hostingOf } from './area-settings.ts'
import { type AppOptions, LateBinding, openCore, replayOptions } from './open-core.ts'
import { type App, serveAreas } from './serve-areas.ts'
import { clockOperations } from './watch-clock.ts'

/** The map of the program: every area, in the order in which a reader should learn them. */
export async function createApp(options: AppOptions): Promise<App> {
	const { config, stores, version, toPrimary } = options
	const { RETENTION_DAYS: retentionDays, OTLP_MAX_BODY_BYTES: bodyLimitBytes } = config
	const core = await openCore(options, openDemoHosts())
	const callTool = new LateBinding<(call: ToolCall) => Promise<ToolCallOutcome>>()
	const refreshServer = new LateBinding<(serverId: string) => Promise<void>>()
	const modelWarnings = new LateBinding<(workspaceId: string, access: ModelAccess) => string[]>()
	const ingress = new LateBinding<App['handle']>()

	// People, workspaces, keys.
	const identity = await openIdentity({ ...core, masterKey: stores.masterKey })
	const events = openEvents({ ...core, identity })
	const limits = openLimits(core)

	// Agents, servers, and the grants between them.
	const hosting = hostingOf(config)
	const views = { agents: openAgentView(core), servers: openServerView({ ...core, hosting }) }
	const grants = openAccessGrants({ ...core, ...views })
	const agents = openAgents({
		...{ ...core, identity, view: views.agents, deriveGrants: grants.deriveGrants },
		modelWarnings: modelWarnings.call,
	})
	const upstreamCredentials = openUpstreamCredentials({
		...{ ...core, identity, agents },
		servers: { view: views.servers, refresh: refreshServer.call },
	})
	const servers = openServers({
		...core,
		...{ view: views.servers, agents: views.agents, hosting },
		accessOf: grants.accessOf,
		callTool: callTool.call,
		mayRunPrograms: core.instance.mayRunPrograms,
		credentialForChecks: upstreamCredentials.credentialForChecks,
		exchange: toPrimary?.exchange,
	})
	refreshServer.bind(servers.refresh)
	const definitions = openToolDefinitions(core)
	const authorization = openAuthorizationServer({ ...core, identity, agents, servers })
	const approvals = openApprovals(core)
	const { memberOf } = identity
	const webhooks = openWebhooks({ ...core, memberOf, decideApproval: approvals.decideAs })

	// What is recorded, and for how long.
	const disk = config.CLICKHOUSE_URL
		? null
		: new DataDisk(join(config.dataDir, 'chdb'), config.DISK_RESERVE_BYTES)
	const retention = openRetention({ ...core, retentionDays, disk })
	const redaction = openRedactionRules(core)
	const shedLogs = openShedOfAll({ ...core, recorder: stores.recorder }, config.WORKERS)
	const erasures = openErasures({ ...core, shedLogs, dataDir: config.dataDir })
	const renormalisations = openRenormalisations(core)
	const traces = openTelemetryApi({
		...core,
		...{ identity, disk, retention: retention.view, redaction: redaction.view },
		...{ bodyLimitBytes, showCalls: events.showCalls, nodeUrl: config.NODE_URL },
	})
	const forwarders = openForwarders(core)
	const recording = openCallRecording({ ...core, calls: stores.recorder })

	// The calls of agents.
	const traffic = { ...core, identity, agents, servers, upstreamCredentials, grants, approvals, version }
	const gateway = openGateway({
		...traffic,
		...{ calls: recording.calls, rulesOf: traces.rulesOf, safeFetch: servers, limits: gatewayLimits(config) },
		recordsToolContent: recording.settings.recordsToolContent,
	})
	callTool.bind(gateway.callTool)
	const prices = openPrices(core)
	const budgets = openBudgets({ ...core, ...prices })
	const models = openModelProxy({
		...traffic,
		...{ ...prices, ...budgets, calls: recording.calls },
		...{ rulesOf: traces.rulesOf, recordCalls: traces.recordCalls },
		bodyLimitBytes: config.MODEL_MAX_BODY_BYTES,
	})
	modelWarnings.bind(models.accessWarnings)

	// Queries over recorded calls.
	const spotlight = openSpotlight({ ...core, ...prices })
	const sharing = openSharing({
		...core,
		...{ redactContent: redaction.redactContent, joinEqual: spotlight.joinEqual },
	})
	const toolInsights = openToolInsights({ ...core, ...views, grants: grants.view })
	const savedViews = openSavedViews({ ...core, ask: spotlight.ask })
	const { readFigures, readWindows } = spotlight
	const alerts = openAlerts({ ...core, identity, readFigures, readWindows })
	const review = openAccessReview({ ...core, ...views, grants, retentionDays })

	// The instance itself.
	const platformMcp = openPlatformMcp({ version, ingress: ingress.call })
	const demo = openDemo({
		...core,
		...{ identity, ingress: ingress.call, calls: stores.recorder },
		factsInTime: { model: factsInTime, tool: toolFactsInTime },
		openReplay: (recorder) =>
			createApp(replayOptions(options, recorder, { forward: ingress.call, exchange: servers.exchange })),
	})
	const instanceClock = clockOperations({ ...core, clock: core.watchedClock.clock })

	const accounts = { audit: core.audit, instanceClock, identity, events, webhooks, limits, agents }
	const access = { definitions, servers, upstreamCredentials, authorization, approvals, grants }
	const { rowMaker } = core
	const kept = { rowMaker, retention, redaction, erasures, renormalisations, recording, traces, forwarders }
	const calls = { gateway, prices, budgets, models }
	const asked = { spotlight, sharing, toolInsights, savedViews, alerts, review, platformMcp, demo }
	const refusals = {
		...{ api: refuseWithProblem, page: refuseWithProblem, model: refuseModel, otlp: traces.refuse },
		mcp: withChallenge(config.PUBLIC_URL, refuseMcp),
	}
	const areas = { ...accounts, ...access, ...kept, ...calls, ...asked }
	const app = await serveAreas(areas, { ...options, core, refusals, exchange: servers.exchange })
	ingress.bind(app.handle)
	return { ...app, makeRows: (batch) => rowMaker.make(batch) }
}
