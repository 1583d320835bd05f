import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api'
import type { Stats } from '../options.ts'

export type DurationName = `mcp.${'client' | 'server'}.${'operation' | 'session'}.duration`

/** Where spans and durations go: to the application's OpenTelemetry providers, or directly to the platform. */
export interface Pipeline {
	startSpan(name: string, options: SpanOptions, parent: Context): Span
	record(name: DurationName, seconds: number, attributes: Attributes): void
	/** May reject. When awaited at an exit, it takes at most a second. */
	flush(): Promise<void>
	stats(): Stats
}
