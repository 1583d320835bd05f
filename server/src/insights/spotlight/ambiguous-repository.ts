import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { callJoins, columnsOfConditions, readStore } from '../../telemetry/index.ts'
import { type CallFilter, filterSql } from './call-filter.ts'
import { inStretches, isCall, joinsIn, type QueryStore, stretchParameters } from './counted-calls.ts'

type Answer = OutputOf<(typeof spotlightOperations)['ambiguous']>

/** For `FROM`: the views in a range that match a filter and may belong to one of several calls. */
function ambiguousViews(filter: CallFilter, workspaceId: string, range: TimeRange) {
	const { sql, parameters } = filterSql(filter)
	const columns = [
		...new Set([...columnsOfConditions, 'name', 'service_name', 'status', 'trace_id', 'span_id']),
	]
	return {
		from: `(SELECT * FROM (SELECT ${columns.join(', ')} FROM spans WHERE ${inStretches(1)} AND ${isCall}) AS spans
			INNER JOIN (SELECT trace_id AS in_trace, span_id AS in_span, counted_trace, counted_span FROM ${callJoins} FINAL WHERE ${joinsIn(1)} AND is_hidden = 2) AS joined
				ON joined.in_trace = spans.trace_id AND joined.in_span = spans.span_id
			WHERE 1${sql}) AS spans`,
		parameters: { ...stretchParameters(workspaceId, [range]), ...parameters },
	}
}

export async function countAmbiguous(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<number> {
	const { from, parameters } = ambiguousViews(filter, workspaceId, range)
	// Usually there are none, and then the spans need not be read.
	const joined = await readStore(() =>
		store.query(
			`SELECT 1 FROM ${callJoins} WHERE ${joinsIn(1)} AND is_hidden = 2 LIMIT 1`,
			stretchParameters(workspaceId, [range]),
		),
	)
	if (joined.length === 0) return 0
	const [found] = await readStore(() =>
		store.query<{ views: string }>(`SELECT count() AS views FROM ${from}`, parameters),
	)
	return Number(found?.views)
}

interface StoredAmbiguous {
	kind: 'tool_call' | 'model_call'
	tool: string
	served: string
	trace: string
	span: string
	title: string
	service: string
	outcome: string
	start_ms: string
	may_trace: string
	may_span: string
	total: string
}

/** Newest first. */
export async function listAmbiguous(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ limit, ...filter }: CallFilter & { limit: number },
): Promise<Answer> {
	const { from, parameters } = ambiguousViews(filter, workspaceId, range)
	const rows = await readStore(() =>
		store.query<StoredAmbiguous>(
			`SELECT toString(kind) AS kind, toString(tool_name) AS tool, if(model != '', model, model_requested) AS served, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
				name AS title, service_name AS service, status AS outcome, toString(toUnixTimestamp64Milli(started_at)) AS start_ms,
				lower(hex(counted_trace)) AS may_trace, lower(hex(counted_span)) AS may_span, count() OVER () AS total
			FROM ${from} ORDER BY started_at DESC, trace, span LIMIT {rows:UInt32}`,
			{ ...parameters, rows: limit },
		),
	)
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		total: Number(rows[0]?.total ?? 0),
		ambiguous: rows.map((row) => ({
			...{ kind: row.kind, tool: row.tool || null, model: row.served || null },
			...{ trace_id: row.trace, span_id: row.span, name: row.title, service_name: row.service || null },
			...{ status: row.outcome, started_at: toIso(Number(row.start_ms)) },
			may_be: { trace_id: row.may_trace, span_id: row.may_span },
		})),
	}
}
