import type { operations } from '@signalbox/contract/api'
import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { serverNowMs } from '../../lib/clock.ts'

export type Span = Schemas['Span']
type SpanFilter = NonNullable<operations['telemetry.spans']['parameters']['query']>

export function spansQuery(filter: SpanFilter) {
	return queryOptions({
		queryKey: ['spans', filter],
		queryFn: () => unwrap(api.GET('/v1/telemetry/spans', { params: { query: filter } })),
	})
}

export function traceQuery(traceId: string) {
	return queryOptions({
		queryKey: ['trace', traceId],
		queryFn: () => readTrace(traceId),
		refetchInterval: ({ state }) => (isGrowing(state.data?.spans) ? 1500 : false),
	})
}

/** The other views of a call, in any trace. */
export function callViewsQuery({ trace_id, span_id, kind }: Span) {
	return queryOptions({
		queryKey: ['call-views', trace_id, span_id],
		queryFn: () =>
			unwrap(
				api.GET('/v1/spotlight/calls/{trace_id}/{span_id}', { params: { path: { trace_id, span_id } } }),
			),
		enabled: kind === 'tool_call' || kind === 'model_call',
	})
}

/** Whether a model call missed its provider's cache; not found without a recorded prompt. */
export function cacheMissQuery({ trace_id, span_id, kind, source }: Span) {
	return queryOptions({
		queryKey: ['cache-miss', trace_id, span_id],
		queryFn: () =>
			unwrap(
				api.GET('/v1/spotlight/cache-misses/{trace_id}/{span_id}', {
					params: { path: { trace_id, span_id } },
				}),
			),
		enabled: kind === 'model_call' && source === 'model_proxy',
		retry: false,
	})
}

/** The content of a call, as recorded or as in its span; not found if none is stored. */
export function callContentQuery({ trace_id, span_id }: Span) {
	const path = { trace_id, span_id }
	return queryOptions({
		queryKey: ['call-content', trace_id, span_id],
		queryFn: () =>
			unwrap(api.GET('/v1/telemetry/traces/{trace_id}/spans/{span_id}/messages', { params: { path } })),
		retry: false,
	})
}

const maxSpans = 50_000

/** A whole trace, page by page; at most the first 50,000 spans. */
async function readTrace(traceId: string) {
	const path = { trace_id: traceId }
	const readPage = (cursor: string | null) =>
		unwrap(
			api.GET('/v1/telemetry/traces/{trace_id}', {
				params: { path, query: { limit: 10_000, ...(cursor && { cursor }) } },
			}),
		)
	let page = await readPage(null)
	const spans = [...page.spans]
	while (page.next_cursor && spans.length < maxSpans) {
		page = await readPage(page.next_cursor)
		for (const span of page.spans) spans.push(span)
	}
	return { spans, isWhole: page.next_cursor === null, toolLinks: page.tool_links }
}

/** A trace is stored about a second after its spans end, and a recent one may still grow. */
function isGrowing(spans: readonly Span[] = []): boolean {
	if (spans.length > 1000) return false
	return spans.length === 0 || spans.some(({ started_at }) => serverNowMs() - Date.parse(started_at) < 60_000)
}
