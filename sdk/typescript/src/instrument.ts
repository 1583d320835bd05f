import { type Config, readConfig } from './config.ts'
import { Connection } from './observe/connection.ts'
import { namesOf } from './observe/names.ts'
import type { Peer } from './observe/peer.ts'
import { ToolDefinitions } from './observe/tool-definitions.ts'
import { type Transport, watchTransport } from './observe/transport.ts'
import type { Handle, Options } from './options.ts'
import { choosePipeline } from './pipeline/choose-pipeline.ts'
import { withinLimit } from './pipeline/on-exit.ts'
import type { Pipeline } from './pipeline/pipeline.ts'
import { quietly } from './quietly.ts'

/** `Protocol` of the MCP SDKs, v1 and v2: the common base of servers and clients. */
interface Protocol {
	connect(transport: never, ...rest: never[]): Promise<void>
	readonly transport?: unknown
}

/** What every version of the SDKs keeps of a server's or client's constructor arguments. */
interface Named {
	_serverInfo?: { name?: unknown }
	_clientInfo?: { name?: unknown }
}

/** An `McpServer` or low-level `Server` of either SDK. */
export type InstrumentableServer = Protocol | { server: Protocol; connect(transport: never): Promise<void> }
/** A `Client` of either SDK. */
export type InstrumentableClient = Protocol

const handles = new WeakMap<object, Handle>()
const logged = new Set<string>()
const watched = new WeakSet<object>()
/** By the name of a server, because some applications create a server for each request. */
const definitions = new Map<string, ToolDefinitions>()

/**
 * Observes a server, before or after it is connected and its tools are registered. Never throws; a second call for the same server
 * returns the handle of the first.
 */
export function instrument(server: InstrumentableServer, options: Options = {}): Handle {
	return observe('server', quietly(() => ('server' in server ? server.server : server)) as Protocol, options)
}

/** The same for a client. */
export function instrumentClient(client: InstrumentableClient, options: Options = {}): Handle {
	return observe('client', client, options)
}

function observe(side: 'server' | 'client', protocol: Protocol, options: Options): Handle {
	const known = quietly(() => handles.get(protocol))
	if (known) return known
	return quietly(() => begin(side, protocol, options)) ?? idle
}

function begin(side: 'server' | 'client', protocol: Protocol, options: Options): Handle {
	const config = readConfig(options)
	for (const problem of config.problems) quietly(() => logOnce(config, problem))
	if (config.disabled) return { ...idle, problems: config.problems }
	const peer = keepPeer(side, protocol, config)
	const connect = protocol.connect
	protocol.connect = function (this: Protocol, ...given) {
		quietly(() => watch(peer, given[0]))
		return Reflect.apply(connect, this, given)
	}
	if (protocol.transport) watch(peer, protocol.transport)
	return handles.get(protocol) ?? idle
}

/** For connections that were not instrumented explicitly: `register`. */
export function observeConnecting(protocol: InstrumentableClient, transport: unknown): void {
	quietly(() => {
		if (handles.has(protocol)) return
		const config = readConfig({})
		for (const problem of config.problems) logOnce(config, problem)
		if (!config.disabled)
			watch(keepPeer('_clientInfo' in protocol ? 'client' : 'server', protocol, config), transport)
	})
}

function keepPeer(side: 'server' | 'client', protocol: Protocol, config: Config): Peer {
	const peer = peerOf(side, protocol, config)
	handles.set(protocol, handleOf(peer))
	return peer
}

/** Some applications create a server for each request, so problems with its options are reported only for the first. */
function logOnce({ log }: Config, problem: string): void {
	if (logged.has(problem)) return
	logged.add(problem)
	log?.(problem)
}

function peerOf(side: 'server' | 'client', protocol: Protocol, config: Config): Peer {
	const { _serverInfo, _clientInfo } = protocol as Named
	const name = String((side === 'server' ? _serverInfo : _clientInfo)?.name ?? '')
	const serviceName =
		config.serviceName ?? config.resource['service.name'] ?? (name || 'unknown_service:node')
	let pipeline: Pipeline | null = null
	return {
		side,
		config,
		names: namesOf[config.conventions],
		tools: side === 'server' ? definitionsOf(name) : new ToolDefinitions(),
		observing: true,
		pipeline: () => {
			pipeline ??= choosePipeline(config, serviceName)
			return pipeline
		},
	}
}

function definitionsOf(server: string): ToolDefinitions {
	const known = definitions.get(server) ?? new ToolDefinitions()
	if (definitions.size < 100) definitions.set(server, known)
	return known
}

function watch(peer: Peer, transport: unknown): void {
	if (typeof transport !== 'object' || transport === null || watched.has(transport)) return
	watched.add(transport)
	watchTransport(transport as Transport, new Connection(peer, transport as Transport))
}

function handleOf(peer: Peer): Handle {
	const flush = () => withinLimit(Promise.resolve().then(() => peer.pipeline().flush()))
	const shutdown = () => {
		peer.observing = false
		return flush()
	}
	return { flush, shutdown, stats: () => peer.pipeline().stats(), problems: peer.config.problems }
}

const none = { ended: 0, sent: 0, dropped: 0, refused: 0, waiting: 0 }
/** For an object that cannot be observed. */
const idle: Handle = {
	flush: async () => {},
	shutdown: async () => {},
	stats: () => none,
	problems: [],
}
