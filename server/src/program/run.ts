import type { Config } from '../config/config.ts'
import { publicAddress } from '../config/public-address.ts'
import { openStores, type Stores, shipLogsFrom } from '../operate/stores/index.ts'
import { endInOrder } from '../platform/end-in-order.ts'
import { belowBasePath, type Route } from '../platform/http/index.ts'
import { openLocalSocket } from '../platform/local-socket.ts'
import { createLog, type Log } from '../platform/log.ts'
import { alone, openPrimaryProcesses } from '../platform/processes/index.ts'
import { releaseMemory } from '../platform/release-memory.ts'
import { readVersion } from '../platform/version.ts'
import { createApp } from './app.ts'
import { renderBanner } from './banner.ts'
import { type Listeners, openListeners } from './listeners.ts'
import { createLocalCalls } from './local-calls.ts'
import type { App } from './serve-areas.ts'
import { startWorkers, workersToBe } from './workers-of-program.ts'

export interface Running {
	/** Where the main listener answers, e.g. `http://127.0.0.1:7777`. */
	address: string
	setupToken: string | null
	/** Everything that the instance answers. */
	routes: readonly Route[]
	/** Ends in order: refuse new work, let running work end within the grace period, flush, close. */
	stop(): Promise<void>
}

/** Starts the whole program: stores → app → listeners → workers → banner. */
export async function run(config: Config, log: Log = createLog(config.LOG_LEVEL)): Promise<Running> {
	const startedAt = performance.now()
	const version = readVersion()
	const processes = config.WORKERS > 1 ? openPrimaryProcesses() : null
	const stores = await openStores(config, log)
	let listeners: Listeners | null = null
	let workers = workersToBe(config.WORKERS - 1)
	const app = await createApp({
		...{ config, stores, log, version, processes: processes ?? alone },
		ownPorts: () => portsOf(listeners),
		...(processes && { workers: { down: () => workers.down(), restarts: () => workers.restarts() } }),
	})
	releaseMemory()
	const endShipping = shipLogsOfNobody(config, stores, app, log)
	const handle = belowBasePath(config.PUBLIC_URL, app.handle)
	listeners = await openListeners(config, log, { handle, takesByLane: app.takesByLane })
	const { ports } = listeners
	if (processes) workers = await startWorkers({ config, ports, stores, app, handle, processes, log })
	const address = publicAddress(config, ports.main)
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
	const closeLocal = await openLocalSocket(config.dataDir, createLocalCalls(stores, app, version))
	const parts = { listeners, app, stores, workers, closeLocal, endShipping }
	const stop = () => stopInOrder(config, log, parts)
	return { address, setupToken: app.setupToken, routes: app.routes, stop }
}

function portsOf(listeners: Listeners | null): number[] {
	return Object.values(listeners?.ports ?? {}).filter((port) => port !== null)
}

/** Those of workers that an earlier start had, in the background. Returns the end. */
function shipLogsOfNobody(
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

/** Workers end beside the listeners: until then they need what the primary runs for them. */
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
