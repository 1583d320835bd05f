import { queryOptions } from '@tanstack/react-query'
import type { operations } from '../../api.gen.ts'
import { api, type Schemas, take } from '../../api.ts'

export type Span = Schemas['Span']
type SpanFilter = NonNullable<operations['telemetry.spans']['parameters']['query']>

export function spansQuery(filter: SpanFilter) {
	return queryOptions({
		queryKey: ['spans', filter],
		queryFn: () => take(api.GET('/v1/telemetry/spans', { params: { query: filter } })),
	})
}

export function traceQuery(traceId: string) {
	return queryOptions({
		queryKey: ['trace', traceId],
		queryFn: () =>
			take(
				api.GET('/v1/telemetry/traces/{trace_id}', { params: { path: { trace_id: traceId }, query: {} } }),
			),
	})
}
