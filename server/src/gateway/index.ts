import type { Dispatcher } from 'undici'
import type { AgentView } from '../access/agents/agents.ts'
import type { ApprovalGate } from '../access/approvals/approvals.ts'
import type { GrantView } from '../access/grants/index.ts'
import type { ChangeFeed } from '../platform/changes.ts'
import { atIntervals, type Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { ControlStore } from '../platform/database/database.ts'
import { LiveRequests } from '../platform/http/live-requests.ts'
import type { Route } from '../platform/http/route.ts'
import { createLimiter, type Limiter } from '../platform/limits/limiter.ts'
import type { Log } from '../platform/log.ts'
import type { Mutate } from '../platform/mutation.ts'
import { type Processes, singleProcess } from '../platform/processes/processes.ts'
import type { ServerEntry, ServerView, ToolCall, ToolCallOutcome } from '../servers/servers.ts'
import type { CallLog, CallRules, RowMaker } from '../telemetry/index.ts'
import { Catalog } from './catalog/catalog.ts'
import { createEnforcement } from './enforce.ts'
import { handlePeerMessage } from './eras/legacy/handle-message.ts'
import { LegacyInputRequests } from './eras/legacy/legacy-input-requests.ts'
import { SessionStore } from './eras/legacy/session-store.ts'
import { Dialogues } from './eras/modern/dialogues.ts'
import { ForwardedRetries } from './eras/modern/forwarded-retries.ts'
import type { Gateway } from './gateway.ts'
import { gatewayRoutes } from './gateway-routes.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { ClientStreams } from './listening/client-streams.ts'
import { KeptResults } from './long-results/kept-results.ts'
import { PeerMessages } from './peer-messages.ts'
import { KeptLists } from './perform/parts/kept-lists.ts'
import { Cursors } from './perform/parts/list-parts.ts'
import { refusalNow } from './perform/run-recorded.ts'
import { PlainCalls } from './plain-calls/plain-calls.ts'
import { callFromPlayground } from './playground.ts'
import { createRefusalLinks } from './refusals/refusals.ts'
import { RequestStates } from './request-states.ts'
import { RunningOperations } from './running-operations.ts'
import { TaskStore } from './tasks/task-store.ts'
import { Tasks } from './tasks/tasks.ts'
import { ProtocolEras } from './upstreams/protocol-eras.ts'
import { UpstreamSessions } from './upstreams/upstream-sessions.ts'
import { createUpstreams } from './upstreams/upstreams.ts'
import type { CredentialSource } from './upstreams/with-credential.ts'

export { gatewayLimits } from './limits.ts'
export { toolFactsInTime } from './perform/operation-facts.ts'
export { refuseMcp } from './refuse.ts'

interface GatewayDeps {
	store: ControlStore
	mutate: Mutate
	feed: Pick<ChangeFeed, 'isStale' | 'onApplied' | 'add'>
	clock: Clock
	log: Log
	sealer: Sealer
	calls: CallLog
	/** Builds rows from what operations leave in the log. */
	rowMaker: Pick<RowMaker, 'add'>
	rulesOf(workspaceId: string): Pick<CallRules, 'retentionDays' | 'rules'>
	/** Absent: every workspace records the content of its tool calls. */
	recordsToolContent?(workspaceId: string): boolean
	safeFetch: { dispatcher: Dispatcher }
	identity: Pick<Gateway, 'stillValid' | 'mayFinish'>
	agents: { view: AgentView; noteSeen(agentId: string): void }
	servers: {
		view: ServerView
		refresh(serverId: string): Promise<void>
		probe(server: ServerEntry): Promise<string>
	}
	grants: { view: GrantView }
	/** Absent: no server needs OAuth (in tests of other parts). */
	upstreamCredentials?: CredentialSource
	approvals: { gate: ApprovalGate }
	/** Signalbox's public address, without a trailing slash. */
	publicAddress(): string
	version?: string
	/** Absent: this is the only process. */
	processes?: Processes
	/** Absent: calls are counted in the memory of this process. */
	limiter?: Limiter
	limits?: Partial<Limits>
}

interface OpenGateway {
	routes: Route[]
	/** Runs a tool call of the playground. */
	callTool(call: ToolCall): Promise<ToolCallOutcome>
	/** Called before shutdown: closes the streams on which clients only listen. */
	drain(): void
	close(): Promise<void>
}

const tickMs = 1000
const sweepEvery = 5
const flushEvery = 60

/** The MCP data plane: connects clients of both eras with servers of both eras, with one access decision in between. */
export function openGateway(deps: GatewayDeps): OpenGateway {
	const { agents, servers, grants, clock, log, calls, feed } = deps
	const limits = { ...defaultLimits, ...deps.limits }
	const views = { agents: agents.view, servers: servers.view, grants: grants.view }
	const links = createRefusalLinks(deps.publicAddress)
	const enforcement = createEnforcement({ ...views, clock, links })
	const states = new RequestStates(deps.store.db, deps.sealer, clock)
	const { db } = deps.store
	const eras = new ProtocolEras({
		db,
		mutate: deps.mutate,
		clock,
		log,
		probe: (server) => servers.probe(server),
	})
	const processes = deps.processes ?? singleProcess
	const isAlone = processes === singleProcess && deps.store.kind === 'sqlite'
	const upstreams = createUpstreams({
		dispatcher: deps.safeFetch.dispatcher,
		limits,
		clock,
		states,
		sessions: new UpstreamSessions(deps.store.db, deps.sealer, log),
		brokered: { ...(deps.upstreamCredentials && { source: deps.upstreamCredentials }), eras },
		onOwnNotification: (serverId, sessionId, notification) =>
			gateway.streams.forward(serverId, sessionId, notification),
		askBetweenCalls: (sessionId) => {
			const session = gateway.sessions.cached(sessionId)
			return session ? gateway.inputRequests.askerBetweenCalls(session) : null
		},
		sharesSessions: !isAlone,
	})
	const catalog = new Catalog(upstreams, limits, clock, (serverId, name) =>
		gateway.streams.announceList(serverId, name),
	)
	const peerMessages = new PeerMessages({ db, mutate: deps.mutate, sealer: deps.sealer, clock, isAlone })
	const forwarded = new ForwardedRetries(peerMessages)
	const tasks = new Tasks(new TaskStore(deps.store, deps.mutate, deps.sealer, clock, isAlone))
	const plainCalls = new PlainCalls()
	const gateway: Gateway = {
		enforcement,
		approvals: deps.approvals.gate,
		links,
		limiter: deps.limiter ?? createLimiter(clock),
		upstreams,
		catalog,
		cursors: new Cursors(deps.sealer),
		lists: new KeptLists(clock),
		keptResults: new KeptResults(deps.store.db, deps.sealer, clock),
		tasks,
		calls,
		plainCalls,
		recordsToolContent: deps.recordsToolContent ?? (() => true),
		running: new RunningOperations(clock, limits),
		sessions: new SessionStore(deps.store.db, deps.sealer, clock),
		posted: new LiveRequests(),
		inputRequests: new LegacyInputRequests(clock, limits, deps.sealer, {
			sendAside: (sessionId, message) => gateway.streams.send(sessionId, message),
			hasStream: (sessionId) => gateway.streams.responseOf(sessionId) !== null,
			peers: peerMessages,
		}),
		peerMessages,
		forwarded,
		dialogues: new Dialogues(clock, limits, states, forwarded),
		states,
		streams: new ClientStreams({
			enforcement,
			catalog,
			upstreams,
			log,
			clock,
			refreshTools: (serverId) => servers.refresh(serverId),
		}),
		limits,
		clock,
		log,
		basePath: () => new URL(deps.publicAddress()).pathname.replace(/\/$/, ''),
		version: deps.version ?? '0',
		stillValid: deps.identity.stillValid,
		mayFinish: deps.identity.mayFinish,
		noteSeen: agents.noteSeen,
		isStale: feed.isStale,
	}
	deps.rowMaker.add('tool', {
		module: new URL('./perform/operation-rows.ts', import.meta.url),
		rulesOf: (workspaceId) => {
			const { retentionDays, rules } = deps.rulesOf(workspaceId)
			return { retentionDays, rules }
		},
	})
	feed.add(gateway.peerMessages)
	feed.add(eras)
	feed.add(tasks.store.waiters)
	feed.add(tasks)
	tasks.open(gateway)
	plainCalls.open(gateway)
	gateway.peerMessages.onPeerMessage((peerMessage) => handlePeerMessage(gateway, peerMessage))
	feed.onApplied(() => {
		gateway.plainCalls.changed()
		gateway.streams.recheck()
		recheckWithoutRequest(gateway, tasks)
	})
	const stopMaintenance = startMaintenance(gateway, tasks, grants.view, eras)
	return {
		callTool: (call) => callFromPlayground(gateway, call),
		routes: gatewayRoutes(gateway, { agents: agents.view, servers: servers.view }),
		drain: () => gateway.streams.closeAll(),
		close: async () => {
			stopMaintenance()
			gateway.streams.closeAll()
			gateway.dialogues.closeAll()
			await tasks.close()
			await gateway.sessions
				.flush()
				.catch((error: unknown) => log.warn({ err: error }, 'gateway: sessions were not flushed'))
			await gateway.upstreams.close()
		},
	}
}

/** Cuts what is no longer allowed and belongs to no open HTTP request, which the ingress checks. */
function recheckWithoutRequest(gateway: Gateway, tasks: Tasks): void {
	tasks.recheck()
	gateway.posted.recheck()
	gateway.dialogues.recheck(({ operation, plan }) => refusalNow(gateway, operation, plan))
}

/** One timer for all calls, streams and sessions. */
function startMaintenance(gateway: Gateway, tasks: Tasks, grants: GrantView, eras: ProtocolEras): () => void {
	let ticks = 0
	let lastCheckMs = gateway.clock.nowMs()
	const heartbeatEvery = Math.max(1, Math.round(gateway.limits.heartbeatMs / tickMs))
	return atIntervals(tickMs, () => {
		ticks += 1
		gateway.plainCalls.check()
		gateway.running.tick()
		gateway.inputRequests.tick()
		gateway.dialogues.tick()
		tasks.tick()
		gateway.streams.tick()
		const nowMs = gateway.clock.nowMs()
		// Grants and keys expire without a change that would be announced.
		recheckWithoutRequest(gateway, tasks)
		if (grants.anyExpired(lastCheckMs, nowMs)) gateway.streams.recheck()
		lastCheckMs = nowMs
		if (ticks % heartbeatEvery === 0) gateway.streams.heartbeat()
		if (ticks % sweepEvery === 0) {
			const isKnown = (server: ServerEntry) => gateway.enforcement.server(server.id) !== undefined
			gateway.upstreams.sweep(isKnown)
			gateway.catalog.prune(isKnown)
			gateway.lists.sweep()
			tasks
				.sweep()
				.catch((error: unknown) =>
					gateway.log.warn({ err: error }, 'gateway: the maintenance of tasks failed'),
				)
		}
		if (ticks % flushEvery === 0)
			flushSessions(gateway)
				.then(() => gateway.peerMessages.sweep())
				.then(() => gateway.states.sweep())
				.then(() => gateway.keptResults.sweep())
				.then(() => eras.sweep())
				.catch((error: unknown) => gateway.log.warn({ err: error }, 'gateway: sessions were not flushed'))
	})
}

/** A session that has ended by its age leaves the sessions with servers that it had here. */
async function flushSessions({ sessions, streams, upstreams }: Gateway): Promise<void> {
	const forgotten = await sessions.flush(streams.connected())
	await Promise.all(forgotten.map(({ client }) => upstreams.leave(client)))
}
