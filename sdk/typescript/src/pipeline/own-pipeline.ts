import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api'
import type { Config } from '../config.ts'
import type { Stats } from '../options.ts'
import { quietly } from '../quietly.ts'
import { scope } from '../version.ts'
import { isFrozenBetweenCalls } from './keep-awake.ts'
import { flushAtExit } from './on-exit.ts'
import { OwnHistogram } from './own-histogram.ts'
import { OwnTracer } from './own-tracer.ts'
import type { DurationName, Pipeline } from './pipeline.ts'
import { post } from './post.ts'
import { resourceOf } from './resource.ts'
import { SpanQueue } from './span-queue.ts'
import { writeMetrics } from './write-metrics.ts'
import { writeSpans } from './write-spans.ts'

/** Sends spans and durations to the platform directly, for applications without OpenTelemetry of their own. */
export class OwnPipeline implements Pipeline {
	readonly #queue: SpanQueue | null
	readonly #tracer: OwnTracer
	readonly #histograms = new Map<DurationName, OwnHistogram>()
	readonly #source
	readonly #config: Config
	readonly #isFrozen = isFrozenBetweenCalls()
	#timer: NodeJS.Timeout | null = null

	constructor(config: Config, serviceName: string) {
		this.#config = config
		this.#source = { resource: resourceOf(config, serviceName), scope }
		this.#queue = this.#openQueue()
		this.#tracer = new OwnTracer((span) => this.#queue?.add(span))
		if (this.#queue) flushAtExit(() => this.flush())
	}

	startSpan(name: string, options: SpanOptions, context: Context): Span {
		return this.#tracer.startSpan(name, options, context)
	}

	record(name: DurationName, seconds: number, attributes: Attributes): void {
		if (!this.#config.metricsUrl) return
		let histogram = this.#histograms.get(name)
		if (!histogram) {
			histogram = new OwnHistogram(name, () => this.#wake())
			this.#histograms.set(name, histogram)
		}
		histogram.record(seconds, attributes)
	}

	async flush(): Promise<void> {
		await Promise.all([this.#queue?.sendAll(), this.#sendMetrics()])
	}

	stats(): Stats {
		return this.#queue?.stats() ?? { ended: 0, sent: 0, dropped: 0, refused: 0, waiting: 0 }
	}

	#openQueue(): SpanQueue | null {
		const { tracesUrl, headers, timeoutMs, delayMs, log } = this.#config
		if (!tracesUrl) return null
		return new SpanQueue(
			{ url: tracesUrl, headers, timeoutMs },
			this.#isFrozen ? 0 : delayMs,
			(spans) => writeSpans(spans, this.#source),
			(message) => quietly(() => log?.(message)),
		)
	}

	#wake(): void {
		this.#timer ??= setTimeout(() => void this.#sendMetrics(), this.#config.metricsIntervalMs).unref()
	}

	/** A lost body does no harm, because metrics are cumulative: the next one has everything. */
	async #sendMetrics(): Promise<void> {
		const { metricsUrl: url, headers, timeoutMs } = this.#config
		if (this.#timer) clearTimeout(this.#timer)
		else return
		this.#timer = null
		const body = writeMetrics([...this.#histograms.values()], this.stats().dropped, this.#source)
		const outcome = url && (await post({ url, headers, timeoutMs }, body))
		if (outcome && outcome.kind === 'again') this.#wake()
	}
}
