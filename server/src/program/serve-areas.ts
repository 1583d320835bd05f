import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Audit } from '../accounts/audit/audit.ts'
import type { Identity } from '../accounts/identity/identity.ts'
import type { ChangeFeed } from '../platform/changes.ts'
import { atIntervals } from '../platform/clock.ts'
import { describeClock } from '../platform/clock-watch.ts'
import { freesDisk } from '../platform/disk-full.ts'
import { createHealth } from '../platform/health/health.ts'
import { createMetrics, type Figure, metricsOfProcesses } from '../platform/health/metrics.ts'
import { createApi } from '../platform/http/api.ts'
import { createClientAddressOf } from '../platform/http/client-address.ts'
import { createOriginCheck, withCors } from '../platform/http/cors.ts'
import { createIdempotency } from '../platform/http/idempotency.ts'
import { createIngress } from '../platform/http/ingress.ts'
import { LiveRequests } from '../platform/http/live-requests.ts'
import type { BoundOperation } from '../platform/http/operations.ts'
import { pageRoutes } from '../platform/http/pages/pages.ts'
import type { RateLimiter } from '../platform/http/rate-limiter.ts'
import type { RefusalWriter, Route, RouteFamily } from '../platform/http/route.ts'
import { createLaneRule } from '../platform/http/router.ts'
import { watchOverload } from '../platform/overload/overload.ts'
import type { SafeFetch } from '../platform/safe-fetch.ts'
import type { Servers } from '../servers/servers.ts'
import { type MakeRows, type RecorderStats, recorderFigures } from '../telemetry/index.ts'
import { originRules } from './area-settings.ts'
import type { AppOptions, Core } from './open-core.ts'
import { serveOrForward } from './share.ts'
import { describeWorkers, workerFigures } from './workers/supervise-workers.ts'

/** The part of the app that is served in every process. */
type ServedApp = Omit<App, 'makeRows'>

export interface App {
	/** The route table: everything that the instance serves. */
	routes: readonly Route[]
	handle(request: IncomingMessage, response: ServerResponse): void
	/** Whether requests to this target may use the fast lane. */
	usesFastLane(target: string): boolean
	/** The secret of the one-time setup URL, as long as there is no operator. */
	setupToken: string | null
	/** Slug of the demo's workspace, if it exists at the start. */
	demoSlug: string | null
	/** Resolves when this program has applied all changes committed by now. */
	catchUp(): Promise<void>
	/** Makes /readyz respond with 503 from now on. */
	drain(): void
	/** An exchange with a hosted program, for workers. */
	exchange: Servers['exchange']
	/** Statistics of the logs of all processes. */
	statsOfAll(): Promise<RecorderStats>
	/** Makes rows of calls from another log of the directory. */
	makeRows: MakeRows
	/** Stops the background work of the areas. */
	close(): Promise<void>
}

/** The parts that an area may contribute to the instance. */
interface Area {
	operations?: BoundOperation[]
	routes?: Route[]
}

interface Closing {
	close(): Promise<void> | void
}

/** The areas that the instance itself refers to by name; the others only add operations and routes. */
interface Areas extends Record<string, object> {
	audit: Audit
	identity: Identity
	limits: { limiter: RateLimiter; figures: Figure[] }
	recording: { figures: Figure[] }
	forwarders: { figures: Figure[] }
	retention: { figures: readonly Figure[] }
	events: { endStreams(): void }
	servers: Closing & { start(): Promise<void> }
	gateway: Closing & { drain(): void }
	alerts: { start(): Promise<void> }
	agents: Closing
	definitions: Closing
	models: Closing
	budgets: Closing
	traces: Closing & { figures: readonly Figure[]; endStreams(): void }
	demo: Closing & { slug(): Promise<string | null> }
	erasures: Closing
	rowMaker: Closing
}

interface Serving extends AppOptions {
	/** See `App`. */
	exchange: ServedApp['exchange']
	core: Core
	/** The error format of each family of routes. */
	refusals: Record<RouteFamily, RefusalWriter>
}

/** Puts the areas behind one ingress, and starts the background work. */
export async function serveAreas(areas: Areas, serving: Serving): Promise<ServedApp> {
	const { config, log, version, core, refusals, toPrimary, exchange } = serving
	const { jobs, safeFetch, statsOfAll } = core
	const { audit, identity, limits } = areas
	const { overload, health, drain } = watchInstance(areas, serving)
	const all: Area[] = [...Object.values(areas), health]
	const api = await createApi(
		all.flatMap(({ operations = [] }) => operations),
		log,
		audit.recordDenial,
		createIdempotency({ ...core, log }),
		audit.countDenial,
		config.API_MAX_BODY_BYTES,
	)
	const pages = pageRoutes({ version, log, publicUrl: config.PUBLIC_URL })
	const routes = [...api.routes, ...all.flatMap(({ routes: own = [] }) => own), ...pages]
	const liveRequests = new LiveRequests()
	const stopRechecks = recheckOnChange(core.feed, liveRequests, safeFetch)
	if (toPrimary) await core.feed.start()
	else await start(areas, serving)

	const checkOrigin = createOriginCheck(originRules(config))
	const ingress = createIngress({
		routes,
		authenticate: identity.authenticate,
		refusals,
		checkOrigin,
		onDenied: (route, principal, problem, requestId) =>
			route.family === 'api'
				? audit.recordDenial({ principal, routeId: route.id, problem, requestId })
				: undefined,
		onAnonymousDenied: audit.countDenial,
		stillAllowedFrom: identity.stillAllowedFrom,
		stillValid: identity.stillValid,
		clientAddressOf: createClientAddressOf(config.TRUSTED_PROXIES),
		overload,
		limiter: limits.limiter,
		liveRequests,
		https: config.PUBLIC_URL?.startsWith('https:') ?? false,
		log,
	})
	const handle = withCors({ origins: config.CORS_ORIGINS, routes, checkOrigin, handle: ingress })
	return {
		routes,
		exchange,
		statsOfAll,
		handle: toPrimary ? serveOrForward({ routes, handle, forward: toPrimary.forward }) : handle,
		usesFastLane: createLaneRule(routes),
		setupToken: identity.setupToken,
		demoSlug: await areas.demo.slug(),
		catchUp: () => core.feed.catchUp(),
		drain,
		close: async () => {
			stopRechecks()
			core.watchedClock.close()
			await areas.demo.close()
			overload.close()
			const { servers, definitions, agents, gateway, models, budgets, traces, erasures } = areas
			const own = [servers, definitions, agents, gateway, models, budgets, traces, erasures]
			const first = [jobs, identity, ...own]
			await Promise.all(first.map((part) => part.close()))
			// Only after the calls of all areas have ended.
			await areas.rowMaker.close()
			await audit.close()
			await core.feed.stop()
			await api.close()
			await safeFetch.close()
		},
	}
}

/** Health checks, metrics and overload protection. */
function watchInstance(areas: Areas, { config, stores, log, version, core, workers, isStarting }: Serving) {
	const { recorder } = stores
	const { jobs, watchedClock } = core
	const metrics = metricsOfProcesses(createMetrics(core.eventLoop), core.processes)
	const logFill = () => fillOf(recorder.stats())
	const overload = watchOverload({ lagMs: config.OVERLOAD_LAG_MS, logFill, log })
	const { limits, recording, forwarders, retention, traces } = areas
	const ofAreas = [limits, recording, forwarders, retention, traces].map(({ figures }) => figures)
	for (const figures of [
		recorderFigures(recorder),
		jobs.figures,
		overload.figures,
		watchedClock.figures,
		...ofAreas,
	])
		metrics.add(figures)
	if (workers) metrics.add(workerFigures(workers))
	let draining = false
	const health = createHealth({
		version,
		metrics,
		metricsToken: config.METRICS_TOKEN,
		exposed: config.exposed,
		isDraining: () => draining,
		checks: {
			start: () => (isStarting?.() ? 'is not finished' : null),
			control_store: () => (core.feed.isStale() ? 'does not answer' : (stores.control.stopped?.() ?? null)),
			telemetry_log: () => describeLogTrouble(recorder.stats()),
		},
		notes: {
			clock: () => describeClock(watchedClock.clock.state),
			...(workers && { workers: () => describeWorkers(workers) }),
		},
	})
	const drain = () => {
		draining = true
		areas.events.endStreams()
		areas.traces.endStreams()
		areas.gateway.drain()
	}
	return { overload, health, drain }
}

/** A change may end running requests. A key may also expire during a stream, which no change announces. */
function recheckOnChange(feed: ChangeFeed, liveRequests: LiveRequests, safeFetch: SafeFetch): () => void {
	feed.onApplied(() => liveRequests.recheck())
	feed.onApplied(() => safeFetch.closeRefused())
	return atIntervals(1000, () => liveRequests.recheck())
}

async function start({ audit, identity, servers, alerts }: Areas, { stores, core }: Serving): Promise<void> {
	await core.feed.start()
	await audit.start()
	await identity.start()
	stores.masterKey.resume()
	await servers.start()
	await alerts.start()
	core.jobs.start()
}

/** How full the telemetry log is, from 0 to 1. */
function fillOf({ walBytes, walMaxBytes }: Pick<RecorderStats, 'walBytes' | 'walMaxBytes'>): number {
	return walBytes / walMaxBytes
}

/** The log refuses new calls a little below its limit, to reserve space for the outcomes of running calls. */
function describeLogTrouble(stats: RecorderStats): string | null {
	const { writeFailure, refusal, walBytes, walMaxBytes } = stats
	if (writeFailure) return describeWriteFailure(writeFailure)
	if (refusal) return refusal
	return fillOf({ walBytes, walMaxBytes }) > 0.9
		? 'is nearly full: the telemetry store does not keep up'
		: null
}

/** Without the path, because anybody may query the health. */
function describeWriteFailure(reason: string): string {
	if (/ENOSPC|EDQUOT/.test(reason)) return `The disk of the data directory is full. To free it, ${freesDisk}.`
	return `cannot be written: ${reason.replace(/ '[^']*'/g, '')}`
}
