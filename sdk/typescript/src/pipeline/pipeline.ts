import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api'
import type { Stats } from '../options.ts'

export type DurationName = `mcp.${'client' | 'server'}.${'operation' | 'session'}.duration`

/** Where spans and durations go: to the application's OpenTelemetry providers, or out by ourselves. */
export interface Pipeline {
	startSpan(name: string, options: SpanOptions, parent: Context): Span
	record(name: DurationName, seconds: number, attributes: Attributes): void
	/** Never takes over a second by itself where it is waited for at an exit; may reject. */
	flush(): Promise<void>
	stats(): Stats
}
