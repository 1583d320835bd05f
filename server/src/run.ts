import { createApp } from './app.ts'
import { renderBanner } from './banner.ts'
import type { Config } from './config.ts'
import { createLocalCalls } from './local-calls.ts'
import { endInOrder } from './platform/end-in-order.ts'
import { belowBasePath, type Listener, listen, listenHttp2, type Route } from './platform/http/index.ts'
import { openLocalSocket } from './platform/local-socket.ts'
import { createLog, type Log } from './platform/log.ts'
import { releaseMemory } from './platform/release-memory.ts'
import { publicAddress } from './public-address.ts'
import { openStores } from './stores.ts'
import { grpcOnly } from './telemetry/index.ts'
import { readVersion } from './version.ts'

export interface Running {
	/** Where the main listener answers, e.g. `http://127.0.0.1:7777`. */
	address: string
	setupToken: string | null
	/** Everything that the instance answers. */
	routes: readonly Route[]
	/** Ends in order: refuse new work, let running work end within the grace period, flush, close. */
	stop(): Promise<void>
}

/** Starts the whole program: stores → app → listeners → banner. */
export async function run(config: Config, log: Log = createLog(config.LOG_LEVEL)): Promise<Running> {
	const startedAt = performance.now()
	const version = readVersion()
	const stores = await openStores(config, log)
	const listeners: Listener[] = []
	const app = await createApp({
		config,
		stores,
		log,
		version,
		ownPorts: () => listeners.map(({ port }) => port),
	})
	releaseMemory()
	const handle = belowBasePath(config.PUBLIC_URL, app.handle)
	const main = await listen(config.HOST, config.PORT, handle)
	listeners.push(main)
	const otlp = await listenForTelemetry(config, log, handle)
	if (otlp) listeners.push(otlp)
	const grpc = await listenForGrpc(config, log, handle)
	if (grpc) listeners.push(grpc)
	const address = publicAddress(config, main.port)
	const banner = renderBanner({
		config,
		version,
		address,
		setupToken: app.setupToken,
		otlpPort: otlp?.port ?? null,
		newMasterKeyPath: stores.newMasterKeyPath,
		startedInMs: performance.now() - startedAt,
	})
	process.stderr.write(banner)
	log.info({ address, port: main.port, version }, 'ready')
	const closeLocal = await openLocalSocket(config.dataDir, createLocalCalls(stores, version))
	const stop = async () => {
		const graceMs = config.STOP_GRACE_SECONDS * 1000
		app.drain()
		await endInOrder(log, [
			['local socket', 1000, closeLocal],
			['listeners', graceMs + 1000, () => Promise.all(listeners.map((each) => each.close(graceMs)))],
			['areas', 10_000, () => app.close()],
			['stores', graceMs + 10_000, () => stores.close(graceMs)],
		])
		log.info('stopped')
	}
	return { address, setupToken: app.setupToken, routes: app.routes, stop }
}

type Handle = Parameters<typeof listen>[2]

function listenForTelemetry(config: Config, log: Log, handle: Handle): Promise<Listener | null> {
	const { HOST, OTLP_HTTP_PORT: port } = config
	const setting = 'SIGNALBOX_OTLP_HTTP_PORT'
	return listenIfFree(config, log, { port, setting }, () => listen(HOST, port, handle, setting))
}

function listenForGrpc(config: Config, log: Log, handle: Handle): Promise<Listener | null> {
	const { HOST, OTLP_GRPC_PORT: port } = config
	const setting = 'SIGNALBOX_OTLP_GRPC_PORT'
	return listenIfFree(config, log, { port, setting }, () =>
		listenHttp2({ host: HOST, port, setting }, grpcOnly(handle)),
	)
}

/** The well-known OTLP ports are a convenience: when another program has one, that is a warning, unless it was asked for. */
async function listenIfFree(
	config: Config,
	log: Log,
	{ port, setting }: { port: number; setting: string },
	open: () => Promise<Listener>,
): Promise<Listener | null> {
	if (port === 0) return null
	try {
		return await open()
	} catch (error) {
		if (config.given.has(setting)) throw error
		log.warn({ port, setting }, 'an OTLP port is taken: what is sent there reaches another program')
		return null
	}
}
