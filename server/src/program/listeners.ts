import type { Config } from '../config/config.ts'
import { type Listener, listen, listenHttp2 } from '../platform/http/index.ts'
import type { Log } from '../platform/log.ts'
import { grpcOnly } from '../telemetry/index.ts'

/** The ports on which a program answers; null: none. */
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

/** What requests pass, and which may come by the fast lane. */
export interface Serving {
	handle: Handle
	takesByLane(target: string): boolean
}

/** Listens where the configuration says. With workers the ports are left open for them. */
export async function openListeners(config: Config, log: Log, serving: Serving): Promise<Listeners> {
	const shared = config.WORKERS > 1
	const main = await open(config, 'main', config.PORT, serving, shared)
	const otlpHttp = await openIfFree(config, log, 'otlpHttp', config.OTLP_HTTP_PORT, serving, shared)
	const otlpGrpc = await openIfFree(config, log, 'otlpGrpc', config.OTLP_GRPC_PORT, serving, shared)
	return gather(main, otlpHttp, otlpGrpc)
}

/** Listens beside the primary on its ports: the system gives each connection to one of the processes. */
export async function joinListeners(config: Config, ports: Ports, serving: Serving): Promise<Listeners> {
	const join = (kind: keyof Ports, port: number) => listenOn(config, kind, port, serving, true)
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

/** A port that is to be shared is taken alone first: another program that shares it would get half of what comes. */
async function open(
	config: Config,
	kind: keyof Ports,
	port: number,
	serving: Serving,
	shared: boolean,
): Promise<Listener> {
	if (!shared) return listenOn(config, kind, port, serving, false)
	const probe = await listenOn(config, kind, port, serving, false)
	await probe.close(0)
	return listenOn(config, kind, probe.port, serving, true)
}

function listenOn(
	{ HOST: host }: Config,
	kind: keyof Ports,
	port: number,
	serving: Serving,
	reusePort: boolean,
): Promise<Listener> {
	const setting = settingOf[kind]
	if (kind === 'otlpGrpc') return listenHttp2({ host, port, setting, reusePort }, grpcOnly(serving.handle))
	return listen(host, port, serving.handle, setting, reusePort, serving.takesByLane)
}

/** The well-known OTLP ports are a convenience: when another program has one, that is a warning, unless it was asked for. */
async function openIfFree(
	config: Config,
	log: Log,
	kind: keyof Ports,
	port: number,
	serving: Serving,
	shared: boolean,
): Promise<Listener | null> {
	if (port === 0) return null
	const setting = settingOf[kind]
	try {
		return await open(config, kind, port, serving, shared)
	} catch (error) {
		if (config.given.has(setting)) throw error
		log.warn({ port, setting }, 'an OTLP port is taken: what is sent there reaches another program')
		return null
	}
}
