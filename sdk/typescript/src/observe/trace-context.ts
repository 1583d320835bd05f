import {
	type Context,
	createContextKey,
	createTraceState,
	isSpanContextValid,
	propagation,
	type SpanContext,
	trace,
} from '@opentelemetry/api'
import { type JsonObject, metaOf, type Request } from './message.ts'
import type { Extra } from './transport.ts'

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const baggageKey = createContextKey('signalbox.baggage')

/** The caller's span: from `_meta`, otherwise from the HTTP request that carried the message; `base` if neither has one. */
export function contextOf({ params }: Request, extra: Extra | undefined, base: Context): Context {
	const meta = metaOf(params)
	const carried = withRemote(base, meta)
	if (carried !== base || trace.getSpanContext(base)) return carried
	return withRemote(base, {
		traceparent: headerOf(extra, 'traceparent'),
		tracestate: headerOf(extra, 'tracestate'),
	})
}

/** The request with our span as its parent; what the host has set itself is kept. */
export function withTraceContext(request: Request, context: Context, agent: string | null): Request {
	const span = trace.getSpanContext(context)
	if (!span) return request
	const carried: Record<string, string> = {}
	if (propagation.fields().length > 0) propagation.inject(context, carried)
	carried.traceparent = `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`
	const state = span.traceState?.serialize()
	if (state) carried.tracestate = state
	const baggage = [carried.baggage ?? context.getValue(baggageKey), agentEntry(agent)]
		.filter(Boolean)
		.join(',')
	if (baggage) carried.baggage = baggage
	return { ...request, params: { ...request.params, _meta: { ...carried, ...metaOf(request.params) } } }
}

/** An entry of the W3C baggage that came with a call. */
export function baggageEntry(context: Context, name: string): string | null {
	const entry = propagation.getBaggage(context)?.getEntry(name)?.value
	if (entry !== undefined) return entry
	for (const member of String(context.getValue(baggageKey) ?? '').split(',')) {
		const [key, value] = (member.split(';')[0] as string).split('=')
		if (key?.trim() === name && value) return decodeURIComponent(value.trim())
	}
	return null
}

/** The conventions require the W3C format in `_meta`, whatever the application propagates elsewhere. */
function withRemote(base: Context, carrier: JsonObject): Context {
	const remote = parse(carrier.traceparent, carrier.tracestate)
	let context = remote ? trace.setSpanContext(base, remote) : base
	if (typeof carrier.baggage !== 'string' || carrier.baggage.length > 8192) return context
	context = context.setValue(baggageKey, carrier.baggage)
	const { baggage } = carrier
	return propagation.fields().includes('baggage')
		? keepSpan(context, propagation.extract(context, { baggage }))
		: context
}

function keepSpan(from: Context, to: Context): Context {
	const span = trace.getSpan(from)
	return span ? trace.setSpan(to, span) : to
}

function parse(traceparent: unknown, tracestate: unknown): SpanContext | null {
	const found = typeof traceparent === 'string' ? pattern.exec(traceparent) : null
	if (!found) return null
	const [, traceId, spanId, flags] = found as unknown as [string, string, string, string]
	const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
	if (!isSpanContextValid(context)) return null
	return typeof tracestate === 'string' && tracestate !== ''
		? { ...context, traceState: createTraceState(tracestate) }
		: context
}

/** A header of the HTTP request that carried a message, as provided by either SDK. */
export function headerOf(extra: Extra | undefined, name: string): string | undefined {
	const found = extra?.requestInfo?.headers?.[name] ?? extra?.request?.headers?.get?.(name) ?? undefined
	return Array.isArray(found) ? found[0] : found
}

function agentEntry(agent: string | null): string | null {
	return agent && `gen_ai.agent.name=${encodeURIComponent(agent)}`
}
