import type { TimeRange } from '../../platform/time-range.ts'
import { evaluationEvent, readStore, scoreKeys } from '../../telemetry/index.ts'
import { asksForRequests, type CallFilter, filterSql } from './call-filter.ts'
import { isCall, isRequest } from './counted-calls.ts'
import type { QueryStore } from './repository.ts'

/** The scores of one name; 64-bit numbers as text. */
export interface ScoreSums {
	name: string
	scores: string
	numbers: string
	average: number | null
	least: number | null
	most: number | null
	median: number | null
	labels: [string[], string[]]
	last_ms: string
}

const attribute = (key: string) => `attributes['${key}']`
const number = `toFloat64OrNull(${attribute(scoreKeys.value)})`
const label = attribute(scoreKeys.label)
const session = attribute(scoreKeys.session)

/**
 * Scores given in a range by their names, the most frequent first. A filter picks those of traces and sessions that had
 * such a call, whenever that was.
 */
export function sumScores(
	store: QueryStore,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
	{ filter, limit }: { filter: CallFilter; limit: number },
): Promise<ScoreSums[]> {
	const { sql, parameters } = filterSql(filter)
	const kinds = asksForRequests(filter) ? isRequest : isCall
	const scores = `FROM logs WHERE workspace_id = {workspace:String} AND event_name = {event:String}
		AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
	const judged = (id: string, of: string) =>
		`${of} IN (SELECT ${id} FROM spans WHERE workspace_id = {workspace:String} AND ${id} IN (SELECT ${of} ${scores})
			AND ${kinds}${sql})`
	return readStore(() =>
		store.query<ScoreSums>(
			`SELECT ${attribute(scoreKeys.name)} AS name, count() AS scores, count(${number}) AS numbers, avg(${number}) AS average,
				min(${number}) AS least, max(${number}) AS most, quantileExact(0.5)(${number}) AS median,
				sumMap(if(${label} = '', [], [${label}]), if(${label} = '', [], [toUInt64(1)])) AS labels,
				toString(toUnixTimestamp64Milli(max(recorded_at))) AS last_ms
			${scores} ${sql === '' ? '' : `AND (${judged('trace_id', 'trace_id')} OR (${session} != '' AND ${judged('session_id', session)}))`}
			GROUP BY name ORDER BY count() DESC, name LIMIT {limit:UInt32}`,
			{ ...parameters, workspace: workspaceId, event: evaluationEvent, start: startMs, end: endMs, limit },
		),
	)
}
