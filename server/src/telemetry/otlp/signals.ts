/** What OTLP carries, and how its messages for it differ. */
export const signals = {
	traces: {
		requestField: 'resourceSpans',
		rejectedField: 'rejectedSpans',
		item: 'span',
		service: 'trace.v1.TraceService',
	},
	metrics: {
		requestField: 'resourceMetrics',
		rejectedField: 'rejectedDataPoints',
		item: 'data point',
		service: 'metrics.v1.MetricsService',
	},
	logs: {
		requestField: 'resourceLogs',
		rejectedField: 'rejectedLogRecords',
		item: 'log record',
		service: 'logs.v1.LogsService',
	},
} as const

export type Signal = keyof typeof signals
export const signalNames = Object.keys(signals) as Signal[]

/** Before the service in the paths of OTLP/gRPC. */
export const grpcPrefix = 'opentelemetry.proto.collector.'
