import type { TimeRange } from '../platform/time-range.ts'

/** How far from a call other views of it are looked for, so that any range counts it once and in the same way. */
const nearMs = 60 * 60 * 1000
const nearNs = nearMs * 1_000_000

/** Times between two parameters, which `stretchParameters` gives. */
const between = (start: string, end: string) =>
	`(started_at >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({${end}:Int64}, 'UTC'))`
const ofWorkspace = 'workspace_id = {workspace:String}'
const isCall = "kind IN ('tool_call', 'model_call')"

/** Rows of one of so many stretches of time. */
export const inStretches = (count: number) => anyStretch(count, 'start', 'end')
const nearStretches = (count: number) => anyStretch(count, 'near_start', 'near_end')

function anyStretch(count: number, start: string, end: string): string {
	const any = Array.from({ length: count }, (_, at) => between(`${start}_${at}`, `${end}_${at}`))
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Parameters of the SQL of this file. */
export function stretchParameters(
	workspaceId: string,
	stretches: readonly TimeRange[],
): Record<string, unknown> {
	const entries = stretches.flatMap(({ startMs, endMs }, at) => [
		[`start_${at}`, startMs],
		[`end_${at}`, endMs],
		[`near_start_${at}`, startMs - nearMs],
		[`near_end_${at}`, endMs + nearMs],
	])
	return { workspace: workspaceId, ...Object.fromEntries(entries) }
}

/** Whether an ancestor `a` (span, source, kind, tool, whether it is near) and a row are views of one call. */
const sameCall = `a.5 AND a.1 != span_id AND a.3 = kind AND (kind = 'model_call' OR a.4 = tool_name OR a.4 = '' OR tool_name = ''
	OR endsWith(a.4, concat('__', tool_name)) OR endsWith(tool_name, concat('__', a.4)))`
const isNear = (parent: string) =>
	`abs(toUnixTimestamp64Nano(${parent}.started_at) - toUnixTimestamp64Nano(s.started_at)) <= ${nearNs}`

/**
 * `WITH …` that names the spans that are a second view of a counted call: `hidden (trace_id, span_id)`. Only traces
 * with several calls, one of them an SDK's, are looked at. The rule in words: docs/spotlight.md.
 */
const withHidden = (stretches: number) => `WITH
	links AS (
		SELECT trace_id, span_id, parent_span_id, source, kind, tool_name, started_at FROM spans
		WHERE ${nearStretches(stretches)} AND trace_id IN (
			SELECT trace_id FROM spans WHERE ${nearStretches(stretches)} AND ${isCall}
			GROUP BY trace_id HAVING count() > 1 AND countIf(source = 'otlp') > 0)
	),
	chains AS (
		SELECT s.trace_id AS trace_id, s.span_id AS span_id, s.source AS source, s.kind AS kind, s.tool_name AS tool_name,
			${isNear('p1')} AS near1, near1 AND ${isNear('p2')} AS near2, near2 AND ${isNear('p3')} AS near3,
			[(p1.span_id, p1.source, p1.kind, p1.tool_name, near1), (p2.span_id, p2.source, p2.kind, p2.tool_name, near2),
				(p3.span_id, p3.source, p3.kind, p3.tool_name, near3)] AS ancestors,
			arrayFilter(a -> ${sameCall}, ancestors) AS views
		FROM links AS s
		LEFT JOIN links AS p1 ON p1.trace_id = s.trace_id AND p1.span_id = s.parent_span_id
		LEFT JOIN links AS p2 ON p2.trace_id = s.trace_id AND p2.span_id = p1.parent_span_id
		LEFT JOIN links AS p3 ON p3.trace_id = s.trace_id AND p3.span_id = p2.parent_span_id
		WHERE s.kind IN ('tool_call', 'model_call')
	),
	hidden AS (
		SELECT trace_id, arrayJoin(if(source = 'otlp', if(notEmpty(views), [span_id], []),
			arrayMap(a -> a.1, arrayFilter(a -> a.2 = 'otlp', views)))) AS span_id
		FROM chains
	)`

/** `WITH … SELECT columns` of the calls that count in so many stretches of time, each once. */
export const selectCountedCalls = (columns: string, stretches: number) =>
	`${withHidden(stretches)} SELECT ${columns} FROM spans WHERE ${inStretches(stretches)} AND ${isCall}
	AND (source != 'otlp' OR (trace_id, span_id) NOT IN (SELECT trace_id, span_id FROM hidden))`

/** Whatever did not succeed: failed, refused, or without an outcome. */
export const isError = "status IN ('error', 'denied', 'interrupted')"
