import type { Config } from '../config/config.ts'
import { listenHttp2, openHttp2 } from '../platform/http/listen-http2.ts'
import { type Listener, listen } from '../platform/http/listener.ts'
import { basePathOf } from '../platform/http/paths.ts'
import type { Log } from '../platform/log.ts'
import { grpcOnly } from '../telemetry/index.ts'

/** The ports of the listeners; null: none. */
export interface Ports {
	main: number
	otlpHttp: number | null
	otlpGrpc: number | null
}

export interface Listeners {
	ports: Ports
	close(graceMs: number): Promise<unknown>
}

type Handle = Parameters<typeof listen>[2]

/** The request handler, and which requests may use the fast lane. */
export interface Serving {
	handle: Handle
	usesFastLane(target: string): boolean
}

/** A port on which one of the listeners is to be opened. */
interface Opening {
	config: Config
	serving: Serving
	kind: keyof Ports
	port: number
}

/** Opens the configured listeners. With workers the ports are opened for sharing. */
export async function openListeners(config: Config, log: Log, serving: Serving): Promise<Listeners> {
	const shared = config.WORKERS > 1
	const given = { config, serving }
	const main = await open({ ...given, kind: 'main', port: config.PORT }, shared)
	const otlpHttp = await openIfFree({ ...given, kind: 'otlpHttp', port: config.OTLP_HTTP_PORT }, shared, log)
	const otlpGrpc = await openIfFree({ ...given, kind: 'otlpGrpc', port: config.OTLP_GRPC_PORT }, shared, log)
	return gather(main, otlpHttp, otlpGrpc)
}

/** Listens on the primary's ports as well: the system distributes connections among the processes. */
export async function joinListeners(config: Config, ports: Ports, serving: Serving): Promise<Listeners> {
	const join = (kind: keyof Ports, port: number) => listenOn({ config, serving, kind, port }, true)
	const main = await join('main', ports.main)
	const otlpHttp = ports.otlpHttp === null ? null : await join('otlpHttp', ports.otlpHttp)
	const otlpGrpc = ports.otlpGrpc === null ? null : await join('otlpGrpc', ports.otlpGrpc)
	return gather(main, otlpHttp, otlpGrpc)
}

function gather(main: Listener, otlpHttp: Listener | null, otlpGrpc: Listener | null): Listeners {
	const all = [main, otlpHttp, otlpGrpc].filter((each) => each !== null)
	return {
		ports: { main: main.port, otlpHttp: otlpHttp?.port ?? null, otlpGrpc: otlpGrpc?.port ?? null },
		close: (graceMs) => Promise.all(all.map((each) => each.close(graceMs))),
	}
}

const settingOf: Record<keyof Ports, string> = {
	main: 'SIGNALBOX_PORT',
	otlpHttp: 'SIGNALBOX_OTLP_HTTP_PORT',
	otlpGrpc: 'SIGNALBOX_OTLP_GRPC_PORT',
}

/** A port to be shared is first opened exclusively: another program sharing it would get half of the connections. */
async function open(opening: Opening, shared: boolean): Promise<Listener> {
	if (!shared) return listenOn(opening, false)
	const probe = await listenOn(opening, false)
	await probe.close(0)
	return listenOn({ ...opening, port: probe.port }, true)
}

function listenOn({ config, serving, kind, port }: Opening, reusePort: boolean): Promise<Listener> {
	const { HOST: host, PUBLIC_URL: publicUrl } = config
	const setting = settingOf[kind]
	const { handle, usesFastLane } = serving
	if (kind === 'otlpGrpc') return listenHttp2({ host, port, setting, reusePort }, grpcOnly(handle))
	const http2 = openHttp2(grpcOnly(handle))
	const basePath = basePathOf(publicUrl)
	return listen(host, port, handle, { setting, reusePort, usesFastLane, http2, basePath })
}

/**
 * The well-known OTLP ports are a convenience: if another program uses one, that is only a warning, unless the port was configured.
 */
async function openIfFree(opening: Opening, shared: boolean, log: Log): Promise<Listener | null> {
	const { config, kind, port } = opening
	if (port === 0) return null
	const setting = settingOf[kind]
	try {
		return await open(opening, shared)
	} catch (error) {
		if (config.given.has(setting)) throw error
		log.warn({ port, setting }, 'an OTLP port is taken: what is sent there reaches another program')
		return null
	}
}
