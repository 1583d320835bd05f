import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { localAddress, publicAddress } from '../config/public-address.ts'
import { createBackup, summarise } from '../operate/backup/backup.ts'
import { openStores, type Stores, shipLogsFrom } from '../operate/stores/stores.ts'
import { systemClock } from '../platform/clock.ts'
import { endInOrder } from '../platform/end-in-order.ts'
import { belowBasePath } from '../platform/http/paths.ts'
import type { Route } from '../platform/http/route.ts'
import { type LocalCalls, openLocalSocket } from '../platform/local-socket.ts'
import { createLog, type Log } from '../platform/log.ts'
import { openPrimaryProcesses, singleProcess } from '../platform/processes/processes.ts'
import { releaseMemory, watchOpenFiles } from '../platform/resources.ts'
import { readVersion } from '../platform/version.ts'
import { isShipped } from '../telemetry/index.ts'
import { createApp } from './app.ts'
import { type Listeners, openListeners } from './listeners.ts'
import type { App } from './serve-areas.ts'
import { pendingWorkers, startWorkers } from './workers-of-program.ts'

export interface Running {
	/** URL of the main listener, e.g. `http://127.0.0.1:7777`. */
	address: string
	setupToken: string | null
	/** All routes of the instance. */
	routes: readonly Route[]
	/** Shuts down in order: refuses new work, lets running work finish within the grace period, flushes, closes. */
	stop(): Promise<void>
}

/** Starts the whole program: stores → app → listeners → workers → banner. */
export async function run(config: Config, log: Log = createLog(config.LOG_LEVEL)): Promise<Running> {
	const startedAt = performance.now()
	const version = readVersion()
	const processes = config.WORKERS > 1 ? openPrimaryProcesses() : null
	const stores = await openStores(config, log)
	let listeners: Listeners | null = null
	let workers = pendingWorkers(config.WORKERS - 1)
	let isStarting = true
	const { promise: started, resolve: markStarted } = Promise.withResolvers<void>()
	const app = await createApp({
		...{ config, stores, log, version, processes: processes ?? singleProcess },
		ownPorts: () => portsOf(listeners),
		isStarting: () => isStarting,
		...(processes && {
			workers: { down: () => workers.down(), restarts: () => workers.restarts(), started },
		}),
	})
	releaseMemory()
	const endShipping = shipAbandonedLogs(config, stores, app, log)
	const handle = belowBasePath(config.PUBLIC_URL, app.handle)
	listeners = await openListeners(config, log, { handle, usesFastLane: app.usesFastLane })
	const { ports } = listeners
	if (processes) workers = await startWorkers({ config, ports, stores, app, handle, processes, log })
	markStarted()
	const address = publicAddress(config, ports.main)
	const stopWatching = watchOpenFiles(log)
	const closeLocal = await openLocalSocket(
		config.dataDir,
		createLocalCalls(stores, app, { version, address, listener: localAddress(config, ports.main) }),
	)
	isStarting = false
	const banner = renderBanner({
		config,
		version,
		address,
		setupToken: app.setupToken,
		demoSlug: app.demoSlug,
		otlpPort: ports.otlpHttp,
		newMasterKeyPath: stores.newMasterKeyPath,
		startedInMs: performance.now() - startedAt,
	})
	process.stderr.write(banner)
	log.info({ address, port: ports.main, version }, 'ready')
	const parts = { listeners, app, stores, workers, closeLocal, endShipping }
	const stop = () => {
		stopWatching()
		return stopInOrder(config, log, parts)
	}
	return { address, setupToken: app.setupToken, routes: app.routes, stop }
}

function portsOf(listeners: Listeners | null): number[] {
	return Object.values(listeners?.ports ?? {}).filter((port) => port !== null)
}

/** Ships the logs of workers from an earlier start, in the background. Returns a function that stops it. */
function shipAbandonedLogs(
	config: Config,
	{ telemetry: store, sealer }: Stores,
	{ makeRows }: App,
	log: Log,
): () => Promise<void> {
	const ending = new AbortController()
	const stores = { store, sealer, log, makeRows }
	const shipping = shipLogsFrom(config.WORKERS, { config, ...stores, signal: ending.signal }).catch(
		(error: unknown) => log.error({ err: error }, 'the log of an earlier worker could not be read'),
	)
	return () => {
		ending.abort()
		return shipping
	}
}

interface Parts {
	listeners: Listeners
	app: App
	stores: Stores
	workers: { stop(graceMs: number): Promise<void> }
	closeLocal(): Promise<void>
	endShipping(): Promise<void>
}

/** Workers end at the same time as the listeners, because until then they need services of the primary. */
async function stopInOrder(
	config: Config,
	log: Log,
	{ listeners, app, stores, workers, closeLocal, endShipping }: Parts,
): Promise<void> {
	const graceMs = config.STOP_GRACE_SECONDS * 1000
	app.drain()
	const ended = () => Promise.all([listeners.close(graceMs), workers.stop(graceMs + 12_000)])
	await endInOrder(log, [
		['local socket', 1000, closeLocal],
		['listeners', graceMs + (config.WORKERS > 1 ? 13_000 : 1000), ended],
		['areas', 10_000, () => app.close()],
		['logs of earlier workers', 3000, endShipping],
		['stores', graceMs + 10_000, () => stores.close(graceMs)],
	])
	log.info('stopped')
}

interface BannerFacts {
	config: Config
	version: string
	address: string
	setupToken: string | null
	demoSlug: string | null
	/** Port of the OTLP listener, or null. */
	otlpPort: number | null
	newMasterKeyPath: string | null
	startedInMs: number
}

/** What a person needs to know after a start, in at most 15 lines. */
export function renderBanner(facts: BannerFacts): string {
	const { address, config } = facts
	const otlp = facts.otlpPort ? `http://${hostIn(address)}:${facts.otlpPort}` : address
	const lines = [
		`Signalbox ${facts.version} is ready at ${address} (${(facts.startedInMs / 1000).toFixed(1)} s)`,
		...(facts.setupToken
			? [
					`  Set up     ${address}/ui/setup#${facts.setupToken}  (works once, for 15 minutes)`,
					...(config.DEMO === 'on'
						? ['  Demo       is created after the first account, and opens when it is ready']
						: []),
				]
			: [
					`  Dashboard  ${address}/ui/`,
					...(config.DEMO === 'on'
						? [
								facts.demoSlug
									? `  Demo       ${address}/ui/w/${facts.demoSlug}/`
									: '  Demo       is being created; its address is logged when it is ready',
							]
						: []),
				]),
		`  API        ${address}/docs`,
		`  Data       ${config.dataDir}`,
		...(facts.newMasterKeyPath
			? [`  Back up    ${facts.newMasterKeyPath}: without it, stored secrets cannot be decrypted`]
			: []),
		'  Send telemetry from anything that speaks OpenTelemetry:',
		`    OTEL_EXPORTER_OTLP_ENDPOINT=${otlp}`,
		'    OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer <ingest token>"',
		'  Connect an agent:',
		`    claude mcp add --transport http signalbox ${address}/mcp-key --header "Authorization: Bearer <agent key>"`,
	]
	return `${lines.join('\n')}\n`
}

function hostIn(address: string): string {
	return new URL(address).hostname
}

/** Calls that commands on this machine may make to the running program. */
function createLocalCalls(
	stores: Stores,
	app: Pick<App, 'statsOfAll'>,
	{ version, address, listener }: { version: string; address: string; listener: string },
): LocalCalls {
	let backup: Promise<unknown> | null = null
	return {
		address: async () => address,
		listener: async () => listener,
		backup: async ({ directory }) => {
			if (backup) throw new Error('A backup is already running.')
			const { control, telemetry, recorder, sealer } = stores
			const source = {
				control,
				telemetry,
				recorder,
				keys: sealer,
				version,
				clock: systemClock,
			}
			const made = shipLogsOfWorkers(app).then(() => createBackup(source, String(directory)))
			backup = made
			try {
				return summarise(await made)
			} finally {
				backup = null
			}
		},
	}
}

const shipWithinMs = 60_000

/** A backup copies only the log of this process, so everything that the others have acknowledged must be in the store first. */
async function shipLogsOfWorkers({ statsOfAll }: Pick<App, 'statsOfAll'>): Promise<void> {
	const askedMs = systemClock.nowMs()
	for (;;) {
		if (await isShipped({ stats: statsOfAll }, systemClock, askedMs)) return
		if (systemClock.nowMs() - askedMs > shipWithinMs)
			throw new Error('The telemetry store does not accept the contents of the logs; see /readyz.')
		await sleep(50)
	}
}
