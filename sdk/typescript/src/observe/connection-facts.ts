import type { Attributes } from '@opentelemetry/api'
import { isObject, type JsonObject, type Message, metaOf, type Request, shortText } from './message.ts'
import { headerOf } from './trace-context.ts'
import type { Extra, Transport } from './transport.ts'

const reserved = 'io.modelcontextprotocol/'

/** What is known of a connection: from its handshake, or from each request if there is none. */
export class ConnectionFacts {
	readonly #transport: Transport
	readonly #network: Attributes
	readonly #learned: Attributes = {}

	constructor(transport: Transport) {
		this.#transport = transport
		this.#network = networkOf(transport)
	}

	/** From a request, in either direction. */
	learnFromRequest({ method, params }: Request, extra?: Extra): void {
		const meta = metaOf(params)
		if (method === 'initialize') this.#learnClient(params?.clientInfo)
		else this.#learnClient(meta[`${reserved}clientInfo`])
		const version = meta[`${reserved}protocolVersion`] ?? headerOf(extra, 'mcp-protocol-version')
		this.#learn('mcp.protocol.version', version)
	}

	/** From the answer to a handshake: the negotiated version. */
	learnFromAnswer(method: string, { result }: Message): void {
		if (method !== 'initialize') return
		this.#learn('mcp.protocol.version', result?.protocolVersion)
		if (!isObject(result?.serverInfo)) return
		this.#learn('mcp.server.name', result.serverInfo.name)
		this.#learn('mcp.server.version', result.serverInfo.version)
	}

	attributes(): Attributes {
		const attributes = { ...this.#network, ...this.#learned }
		if (this.#transport.sessionId) attributes['mcp.session.id'] = this.#transport.sessionId
		return attributes
	}

	/** Attributes with few values, for durations. */
	get few(): Attributes {
		const version = this.#learned['mcp.protocol.version']
		return version === undefined ? this.#network : { ...this.#network, 'mcp.protocol.version': version }
	}

	#learnClient(info: unknown): void {
		if (!isObject(info)) return
		this.#learn('mcp.client.name', (info as JsonObject).name)
		this.#learn('mcp.client.version', (info as JsonObject).version)
	}

	#learn(name: string, value: unknown): void {
		const text = shortText(value)
		if (text !== null) this.#learned[name] = text
	}
}

/** By the class name of the transport; a bundler that renames classes makes it unknown. */
function networkOf(transport: Transport): Attributes {
	const name = transport.constructor?.name ?? ''
	if (/stdio/i.test(name)) return { 'network.transport': 'pipe' }
	if (/http|sse/i.test(name)) return { 'network.transport': 'tcp', 'network.protocol.name': 'http' }
	return {}
}
