import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { quietly } from '../quietly.ts'
import { capturedText, redactedMessage } from './captured-text.ts'
import type { ConnectionFacts } from './connection-facts.ts'
import type { Message, Request } from './message.ts'
import { detailsOf, type Target, targetOf } from './operation-attributes.ts'
import type { Peer } from './peer.ts'
import { agentOf } from './trace-context.ts'

/** Errors of the caller, which are not errors of the answering side (JSON-RPC, and "resource not found"). */
const callerFaults: ReadonlySet<number | undefined> = new Set([-32700, -32600, -32601, -32602, -32002])

export type Direction = 'incoming' | 'outgoing'

/** A running request, in either direction, as one span and one duration. */
export class Operation {
	readonly request: Request
	readonly context: Context
	/** While it is being sent: some transports close before their `send` has ended. */
	answer: Message | null = null
	readonly #peer: Peer
	readonly #span: Span
	readonly #direction: Direction
	readonly #target: Target
	readonly #facts: ConnectionFacts
	readonly #startedMs = performance.now()
	#progress = 0
	#ended = false

	constructor(
		peer: Peer,
		facts: ConnectionFacts,
		direction: Direction,
		request: Request,
		context: Context,
		ambient: Context,
	) {
		this.#peer = peer
		this.#facts = facts
		this.#direction = direction
		this.request = request
		this.#target = targetOf(request, peer.names)
		const attributes = this.#attributes(context)
		const kind = direction === 'incoming' ? SpanKind.SERVER : SpanKind.CLIENT
		const links = linksTo(ambient, context)
		this.#span = peer.pipeline().startSpan(this.#target.spanName, { kind, attributes, links }, context)
		this.context = trace.setSpan(context, this.#span)
	}

	progressed(): void {
		this.#progress += 1
	}

	/** Ends it with the answer that was received or sent. */
	answered(answer: Message): void {
		if (answer.error) this.failed(String(answer.error.code), answer.error)
		else this.#succeeded(answer)
	}

	#succeeded(answer: Message): void {
		// A value that cannot be read must not cost the span.
		quietly(() => this.#describe(answer.result))
		if (answer.result?.isError === true) this.#end('tool_error', SpanStatusCode.ERROR)
		else this.#end(null, SpanStatusCode.UNSET)
	}

	#describe(result: Message['result']): void {
		const { tools, config, names } = this.#peer
		if (this.request.method === 'tools/list') this.#span.setAttributes(tools.take(result?.tools))
		if (result && config.capture.results && this.request.method === 'tools/call')
			this.#span.setAttribute(names.result, capturedText(result, config.capture.maxLength))
	}

	/** Ends it with a JSON-RPC error, or without any answer (`timeout`, `cancelled`, `connection_closed`, the class of an exception). */
	failed(errorType: string, error?: Message['error']): void {
		if (error) this.#span.setAttribute(this.#peer.names.statusCode, String(error.code))
		const isForgiven = this.#direction === 'incoming' && callerFaults.has(error?.code)
		this.#end(errorType, isForgiven ? SpanStatusCode.UNSET : SpanStatusCode.ERROR, error?.message)
	}

	#end(errorType: string | null, code: SpanStatusCode, message?: string): void {
		if (this.#ended) return
		this.#ended = true
		if (errorType !== null) this.#span.setAttribute('error.type', errorType)
		if (this.#progress > 0) this.#span.setAttribute('signalbox.progress.count', this.#progress)
		if (code !== SpanStatusCode.UNSET)
			this.#span.setStatus(
				typeof message === 'string' ? { code, message: redactedMessage(message) } : { code },
			)
		this.#span.end()
		this.#record(errorType)
	}

	#record(errorType: string | null): void {
		const side = this.#direction === 'incoming' ? 'server' : 'client'
		const seconds = (performance.now() - this.#startedMs) / 1000
		const attributes = {
			...this.#target.few,
			...this.#facts.few,
			...(errorType && { 'error.type': errorType }),
		}
		this.#peer.pipeline().record(`mcp.${side}.operation.duration`, seconds, attributes)
	}

	#attributes(context: Context): Attributes {
		const { names, config, tools } = this.#peer
		const attributes = {
			...this.#target.few,
			...this.#facts.attributes(),
			...detailsOf(this.request, names),
		}
		const tool = this.#target.few[names.tool]
		if (tool !== undefined) Object.assign(attributes, tools.of(tool as string))
		const agent = config.agent ?? agentOf(context)
		if (agent) attributes['gen_ai.agent.name'] = agent
		const given = this.request.params?.arguments
		if (tool === undefined || !config.capture.arguments || given === undefined) return attributes
		const text = quietly(() => capturedText(given, config.capture.maxLength))
		return text === undefined ? attributes : { ...attributes, [names.arguments]: text }
	}
}

/** If `_meta` names the caller's span, the span of the HTTP request becomes a link. */
function linksTo(ambient: Context, parent: Context) {
	const around = trace.getSpanContext(ambient)
	const caller = trace.getSpanContext(parent)
	return around && caller && around.spanId !== caller.spanId ? [{ context: around }] : []
}
