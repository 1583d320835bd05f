import {
	type Context,
	createContextKey,
	createTraceState,
	isSpanContextValid,
	propagation,
	type SpanContext,
	trace,
} from '@opentelemetry/api'
import { decoded } from '../config.ts'
import { metaOf, type Request, shortText } from './message.ts'
import type { Extra } from './transport.ts'

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const agentName = 'gen_ai.agent.name'
const baggageKey = createContextKey('signalbox.baggage')

/** The caller's span: from `_meta`, otherwise from the HTTP request that carried the message; `base` if neither has one. */
export function contextOf({ params }: Request, extra: Extra | undefined, base: Context): Context {
	const meta = metaOf(params)
	const named = parse(meta.traceparent, meta.tracestate)
	const isBelow = named !== null || trace.getSpanContext(base) !== undefined
	const remote = isBelow ? named : parse(headerOf(extra, 'traceparent'), headerOf(extra, 'tracestate'))
	return withBaggage(remote ? trace.setSpanContext(base, remote) : base, meta.baggage)
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
	const inherited = String(carried.baggage ?? context.getValue(baggageKey) ?? '')
	const baggage = agent ? withAgent(inherited, agent) : inherited
	if (baggage) carried.baggage = baggage
	return { ...request, params: { ...request.params, _meta: { ...carried, ...metaOf(request.params) } } }
}

/** The agent that the W3C baggage of a call names. */
export function agentOf(context: Context): string | null {
	const entry = propagation.getBaggage(context)?.getEntry(agentName)?.value
	if (entry !== undefined) return shortText(entry)
	const member = membersOf(String(context.getValue(baggageKey) ?? '')).find(
		(each) => nameOf(each) === agentName,
	)
	return member === undefined ? null : shortText(decoded(textOf(member)))
}

/** The conventions require the W3C format in `_meta`, whatever the application propagates elsewhere. */
function withBaggage(base: Context, baggage: unknown): Context {
	if (typeof baggage !== 'string' || baggage.length > 8192) return base
	const context = base.setValue(baggageKey, baggage)
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

/** The agent that a client works for replaces one that the baggage has brought. */
function withAgent(baggage: string, agent: string): string {
	const others = membersOf(baggage).filter((each) => nameOf(each) !== agentName)
	return [...others, `${agentName}=${encodeURIComponent(agent)}`].join(',')
}

function membersOf(baggage: string): string[] {
	return baggage.split(',').filter((member) => member.trim() !== '')
}

function nameOf(member: string): string {
	return (member.split('=')[0] as string).trim()
}

function textOf(member: string): string {
	return (member.split(';')[0] as string).split('=').slice(1).join('=').trim()
}
