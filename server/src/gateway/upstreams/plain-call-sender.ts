import type { Dispatcher } from 'undici'
import { eraOf, type JsonObject, modernHeaders, targetOf } from '../../mcp-client/index.ts'
import { type TraceContext, traceparentOf } from '../../platform/trace/current-trace.ts'
import { carrierOf } from '../../platform/undici.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { ClientProgram } from '../operation.ts'
import { idleMsOf, type LegacyUpstream } from './legacy-upstream.ts'
import { modernMeta } from './modern-upstream.ts'
import { relayedHeaders, relayedMeta, type UpstreamContext } from './upstream.ts'
import type { UpstreamSession } from './upstream-session.ts'

/** How plain calls of one tool are sent to its server: everything that they have in common. */
export class PlainCallSender {
	/** The session for the calls; null for servers without sessions. */
	readonly upstreamSession: UpstreamSession | null
	readonly #dispatcher: Dispatcher
	readonly #origin: string
	readonly #path: string
	readonly #headers: Readonly<Record<string, string>>
	readonly #nameJson: string
	readonly #idleMs: number

	constructor(
		context: UpstreamContext,
		server: ServerEntry,
		tool: string,
		upstreamSession: UpstreamSession | null,
	) {
		const { origin, path, headers } = targetOf(server)
		const own = upstreamSession
			? upstreamSession.opened?.headers
			: modernHeaders('tools/call', { name: tool })
		this.upstreamSession = upstreamSession
		this.#dispatcher = carrierOf(context.dispatcher, origin)
		this.#origin = origin
		this.#path = path
		this.#headers = { ...headers, ...own }
		this.#nameJson = JSON.stringify(tool)
		this.#idleMs = upstreamSession ? idleMsOf(context, upstreamSession) : context.limits.idleMs
	}

	/** `args` is the JSON text of the arguments, if there are any. `handler` receives the response. */
	send(
		call: { client: ClientProgram; meta: JsonObject; trace: TraceContext; args: string | undefined },
		id: number,
		handler: Dispatcher.DispatchHandler,
	): void {
		const { client, meta, trace, args } = call
		const traceparent = traceparentOf(trace)
		const given = args === undefined ? '' : `"arguments":${args},`
		const isModern = this.upstreamSession === null
		// Nearly all traces have no state, and nearly all clients' `_meta` is the same in each call.
		const begun = trace.traceState === '' ? begunText(client, meta, trace, isModern) : null
		const ownMeta =
			begun === null ? metaText(client, meta, trace, id, isModern) : `${begun}"traceparent":"${traceparent}"}`
		const ownHeaders = trace.traceState === '' ? { traceparent } : relayedHeaders(trace)
		const params = `{"name":${this.#nameJson},${given}"_meta":${ownMeta}}`
		this.#dispatcher.dispatch(
			{
				origin: this.#origin,
				path: this.#path,
				method: 'POST',
				headers: { ...this.#headers, ...ownHeaders },
				body: `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`,
				headersTimeout: this.#idleMs,
				bodyTimeout: this.#idleMs,
			},
			handler,
		)
	}
}

/** Null if a call needs more than sending: a handshake, a log level or a translation between eras. */
export function findPlainCallSender(
	context: UpstreamContext,
	legacy: Pick<LegacyUpstream, 'openSession'>,
	server: ServerEntry,
	client: ClientProgram,
	tool: string,
): PlainCallSender | null {
	if (server.protocolVersion === null) return null
	if (eraOf(server.protocolVersion) === 'modern')
		return client.era === 'modern' ? new PlainCallSender(context, server, tool, null) : null
	const upstreamSession = legacy.openSession(server, client)
	return upstreamSession && new PlainCallSender(context, server, tool, upstreamSession)
}

/**
 * By the client's `_meta`: the serialized `_meta` for the server, up to the trace. A modern client's description is in the same
 * object.
 */
const begunTexts = { modern: new WeakMap<JsonObject, string>(), legacy: new WeakMap<JsonObject, string>() }

function metaText(
	client: ClientProgram,
	meta: JsonObject,
	trace: TraceContext,
	id: number,
	isModern: boolean,
): string {
	const relayed = relayedMeta({ _meta: meta }, id, trace)
	return JSON.stringify(isModern ? modernMeta({ client }, relayed, false) : relayed)
}

/** Null if the `_meta` has a field that differs between calls. */
function begunText(
	client: ClientProgram,
	meta: JsonObject,
	trace: TraceContext,
	isModern: boolean,
): string | null {
	if ('traceparent' in meta || 'tracestate' in meta || 'progressToken' in meta) return null
	const texts = isModern ? begunTexts.modern : begunTexts.legacy
	const known = texts.get(meta)
	if (known !== undefined) return known
	const { traceparent, tracestate, ...relayed } = relayedMeta({ _meta: meta }, 0, trace)
	const text = JSON.stringify(isModern ? modernMeta({ client }, relayed, false) : relayed)
	const begun = text === '{}' ? '{' : `${text.slice(0, -1)},`
	texts.set(meta, begun)
	return begun
}
