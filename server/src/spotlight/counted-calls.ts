import type { TimeRange } from '../platform/time-range.ts'

/** Parameters of the SQL below. */
export function rangeParameters(workspaceId: string, { startMs, endMs }: TimeRange): Record<string, unknown> {
	return {
		workspace: workspaceId,
		start: startMs,
		end: endMs,
		near_start: startMs - nearMs,
		near_end: endMs + nearMs,
	}
}

/** How far outside the range other views of a call are looked for, so that neighbouring ranges count it once. */
const nearMs = 60 * 60 * 1000

const between = (start: string, end: string) =>
	`workspace_id = {workspace:String}
	AND started_at >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({${end}:Int64}, 'UTC')`
const near = between('near_start', 'near_end')
const isCall = "kind IN ('tool_call', 'model_call')"

/** Rows of the range. */
export const inRange = between('start', 'end')

/** Whether an ancestor `a` (span, source, kind, tool) and a row are views of one call. */
const sameCall = `a.1 != span_id AND a.3 = kind AND (kind = 'model_call' OR a.4 = tool_name OR a.4 = '' OR tool_name = ''
	OR endsWith(a.4, concat('__', tool_name)) OR endsWith(tool_name, concat('__', a.4)))`

/**
 * `WITH …` that names the spans that are a second view of a counted call: `hidden (trace_id, span_id)`. Only traces
 * with several calls, one of them an SDK's, are looked at. The rule in words: docs/spotlight.md.
 */
export const withHidden = `WITH
	links AS (
		SELECT trace_id, span_id, parent_span_id, source, kind, tool_name FROM spans
		WHERE ${near} AND trace_id IN (
			SELECT trace_id FROM spans WHERE ${near} AND ${isCall}
			GROUP BY trace_id HAVING count() > 1 AND countIf(source = 'otlp') > 0)
	),
	chains AS (
		SELECT s.trace_id AS trace_id, s.span_id AS span_id, s.source AS source, s.kind AS kind, s.tool_name AS tool_name,
			[(p1.span_id, p1.source, p1.kind, p1.tool_name), (p2.span_id, p2.source, p2.kind, p2.tool_name),
				(p3.span_id, p3.source, p3.kind, p3.tool_name)] AS ancestors,
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

/** `FROM … WHERE …` of the calls that count; to follow `withHidden`. */
export const fromCountedCalls = `FROM spans WHERE ${inRange} AND ${isCall}
	AND (source != 'otlp' OR (trace_id, span_id) NOT IN (SELECT trace_id, span_id FROM hidden))`

/** Whatever did not succeed: failed, refused, or without an outcome. */
export const isError = "status IN ('error', 'denied', 'interrupted')"
