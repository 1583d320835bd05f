import type { TimeRange } from '../../platform/time-range.ts'
import { isFailed } from '../columns.ts'
import { type QueryStore, readStore, type SpanFilter, spanConditions } from './repository.ts'

/** A row as the store answers it: 64-bit numbers as text. */
export interface StoredTrace {
	trace: string
	name: string
	first_ns: string
	end_ns: string
	spans: string
	errors: string
	services: string[]
	session: string
	user: string
}

/** A place in a list of traces by their first span in the range. */
export interface TracePlace {
	firstNs: string
	traceId: string
}

/** Traces with a span of the range that is as asked for, by their first span in the range, newest first. */
export function findTraces(
	store: QueryStore,
	workspaceId: string,
	wanted: { range: TimeRange; filter: SpanFilter; after: TracePlace | null; limit: number },
): Promise<StoredTrace[]> {
	const { range, filter, after, limit } = wanted
	const { sql, parameters } = spanConditions(filter)
	const inRange = `workspace_id = {workspace:String}
		AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
	return readStore(() =>
		store.query<StoredTrace>(
			`SELECT lower(hex(trace_id)) AS trace, argMin(name, (parent_span_id != toFixedString('', 8), started_at)) AS name,
				toString(toUnixTimestamp64Nano(min(started_at) AS first)) AS first_ns,
				toString(max(toUnixTimestamp64Nano(started_at) + toInt64(duration_ns))) AS end_ns, count() AS spans,
				countIf(${isFailed()}) AS errors,
				arraySort(groupUniqArrayIf(20)(service_name, service_name != '')) AS services,
				anyIf(session_id, session_id != '') AS session, anyIf(user_id, user_id != '') AS user
			FROM spans WHERE ${inRange}
				${sql === '' ? '' : `AND trace_id IN (SELECT trace_id FROM spans WHERE ${inRange} ${sql})`}
			GROUP BY trace_id ${after ? `HAVING (first, trace_id) < (fromUnixTimestamp64Nano({after_first:Int64}, 'UTC'), toFixedString(unhex({after_trace:String}), 16))` : ''}
			ORDER BY first DESC, trace_id DESC LIMIT {limit:UInt32}`,
			{
				...parameters,
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				limit,
				...(after && { after_first: after.firstNs, after_trace: after.traceId }),
			},
		),
	)
}
