import {
	type Attributes,
	type Context,
	type Histogram,
	metrics,
	ProxyTracerProvider,
	type Span,
	type SpanOptions,
	trace,
} from '@opentelemetry/api'
import type { Stats } from '../options.ts'
import { scope } from '../version.ts'
import { durationBounds } from './own-histogram.ts'
import type { DurationName, Pipeline } from './pipeline.ts'

interface Flushing {
	forceFlush?(): Promise<void>
}

/** Passes everything to the providers that the application has registered with the OpenTelemetry API. */
export class ApplicationPipeline implements Pipeline {
	readonly #tracer = trace.getTracer(scope.name, scope.version)
	readonly #meter = metrics.getMeter(scope.name, scope.version)
	readonly #histograms = new Map<DurationName, Histogram>()

	startSpan(name: string, options: SpanOptions, parent: Context): Span {
		return this.#tracer.startSpan(name, options, parent)
	}

	record(name: DurationName, seconds: number, attributes: Attributes): void {
		let histogram = this.#histograms.get(name)
		if (!histogram) {
			const advice = { explicitBucketBoundaries: [...durationBounds] }
			histogram = this.#meter.createHistogram(name, { unit: 's', advice })
			this.#histograms.set(name, histogram)
		}
		histogram.record(seconds, attributes)
	}

	async flush(): Promise<void> {
		const meters = metrics.getMeterProvider() as Flushing
		await Promise.all([(tracerProvider() as Flushing).forceFlush?.(), meters.forceFlush?.()])
	}

	stats(): Stats {
		return { ended: 0, sent: 0, dropped: 0, refused: 0, waiting: 0 }
	}
}

/** Whether the application has registered a tracer provider. */
export function hasTracerProvider(): boolean {
	return tracerProvider() !== new ProxyTracerProvider().getDelegate()
}

function tracerProvider(): unknown {
	const provider = trace.getTracerProvider()
	return provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
}
