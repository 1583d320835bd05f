import { type SpanStatus, spanStatuses } from '@signalbox/contract/span-status'
import type { Span } from './queries.ts'

export const kinds = ['tool_call', 'model_call', 'mcp', 'other'] as const

/** The filters of the live screen, as in the URL. */
export interface LiveFilter {
	kind?: (typeof kinds)[number]
	status?: SpanStatus
	agent_uuid?: string
	server_id?: string
	q?: string
}

export function parseLiveFilter(search: Record<string, unknown>): LiveFilter {
	const kind = kinds.find((known) => known === search.kind)
	const status = spanStatuses.find((known) => known === search.status)
	return {
		...(kind && { kind }),
		...(status && { status }),
		...text('agent_uuid', search.agent_uuid),
		...text('server_id', search.server_id),
		...text('q', search.q),
	}
}

/** The filter in the form of the API for stored spans. */
export function storedFilter({ q: _, ...filter }: LiveFilter) {
	return filter
}

/** The same filter for a span that arrives; `q` is searched in what is shown of it. */
export function passes(span: Span, filter: LiveFilter): boolean {
	if (filter.kind && span.kind !== filter.kind) return false
	if (filter.status && span.status !== filter.status) return false
	if (filter.agent_uuid && span.agent?.uuid !== filter.agent_uuid) return false
	if (filter.server_id && span.server?.id !== filter.server_id) return false
	if (!filter.q) return true
	const wanted = filter.q.toLowerCase()
	const seen = [
		span.name,
		span.tool,
		span.agent?.name,
		span.server?.name,
		span.model,
		span.trace_id,
		span.session_id,
	]
	return seen.some((part) => part?.toLowerCase().includes(wanted))
}

function text<K extends string>(name: K, value: unknown): { [P in K]?: string } {
	return (value === undefined || value === '' ? {} : { [name]: String(value) }) as { [P in K]?: string }
}
