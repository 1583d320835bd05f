import type { TimeRange } from '../../platform/time-range.ts'
import { isFailed } from '../columns.ts'
import { traceLinks } from '../rollups/call-joins.ts'
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

/** A trace of more than so many recordings is shown in parts. */
const mostLinked = 200
const mostRounds = 8

/** Traces that are one with others, each with all of them, itself too: 32 lower-case hex digits. Those without are absent. */
export async function findLinkedTraces(
	store: QueryStore,
	workspaceId: string,
	traceIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
	const links = new Map<string, readonly string[]>()
	let open = traceIds
	for (
		let round = 0;
		open.length > 0 && round < mostRounds && links.size < mostLinked * traceIds.length;
		round++
	) {
		const asked = open
		const rows = await readStore(() =>
			store.query<{ trace: string; linked: string[] }>(
				`SELECT lower(hex(trace_id)) AS trace, arraySort(groupUniqArray(${mostLinked})(lower(hex(linked_trace)))) AS linked FROM ${traceLinks}
				WHERE workspace_id = {workspace:String} AND trace_id IN (SELECT toFixedString(unhex(arrayJoin({traces:Array(String)})), 16)) GROUP BY trace_id`,
				{ workspace: workspaceId, traces: [...asked] },
			),
		)
		for (const { trace, linked } of rows) links.set(trace, linked)
		open = [...new Set(rows.flatMap(({ linked }) => linked))].filter((trace) => !links.has(trace))
	}
	return new Map(
		traceIds.filter((trace) => links.has(trace)).map((trace) => [trace, reachedFrom(trace, links)]),
	)
}

function reachedFrom(trace: string, links: ReadonlyMap<string, readonly string[]>): string[] {
	const found = new Set([trace])
	for (const one of found)
		for (const other of links.get(one) ?? []) if (found.size < mostLinked) found.add(other)
	return [...found].sort()
}

/** Traces with a span of the range that is as asked for, by their first span in the range, newest first. `among`: these alone. */
export function findTraces(
	store: QueryStore,
	workspaceId: string,
	wanted: {
		range: TimeRange
		filter: SpanFilter
		after: TracePlace | null
		limit: number
		among?: readonly string[]
	},
): Promise<StoredTrace[]> {
	const { range, filter, after, limit, among } = wanted
	const { sql, parameters } = spanConditions(filter)
	const ids = among
		? 'AND trace_id IN (SELECT toFixedString(unhex(arrayJoin({among:Array(String)})), 16))'
		: ''
	const inRange = `workspace_id = {workspace:String} ${ids}
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
				...(among && { among: [...among] }),
				...(after && { after_first: after.firstNs, after_trace: after.traceId }),
			},
		),
	)
}
