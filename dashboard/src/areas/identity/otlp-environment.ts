/** The environment variables that make any stock OpenTelemetry exporter send its spans here. */
export function otlpEnvironment(origin: string, token: string): string {
	return [
		`OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
		`OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${token}`,
		'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
		'OTEL_TRACES_EXPORTER=otlp',
	].join('\n')
}
