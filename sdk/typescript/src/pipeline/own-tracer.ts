import { type Context, type Span, type SpanOptions, type Tracer, trace } from '@opentelemetry/api'
import { randomHex } from './ids.ts'
import { OwnSpan } from './own-span.ts'

/** Creates spans for our own pipeline; descendants of a span that is not sampled are not recorded either. */
export class OwnTracer implements Pick<Tracer, 'startSpan'> {
	readonly #onEnd: (span: OwnSpan) => void

	constructor(onEnd: (span: OwnSpan) => void) {
		this.#onEnd = onEnd
	}

	startSpan(name: string, options: SpanOptions, context: Context): Span {
		const parent = trace.getSpanContext(context)
		if (!parent) return this.#make(name, randomHex(16), 1, '', options)
		if ((parent.traceFlags & 1) === 0) return trace.wrapSpanContext(parent)
		return this.#make(name, parent.traceId, parent.traceFlags, parent.spanId, options, parent.traceState)
	}

	#make(
		name: string,
		traceId: string,
		traceFlags: number,
		parentId: string,
		options: SpanOptions,
		traceState?: Parameters<typeof trace.wrapSpanContext>[0]['traceState'],
	): OwnSpan {
		const context = { traceId, spanId: randomHex(8), traceFlags, ...(traceState && { traceState }) }
		return new OwnSpan(name, context, parentId, options, this.#onEnd)
	}
}
