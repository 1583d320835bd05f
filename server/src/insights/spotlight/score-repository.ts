import type { OutputOf, QueryOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { asksForRequests, evaluationEvent, readStore, scoreKeys } from '../../telemetry/index.ts'
import { type CallFilter, filterSql } from './call-filter.ts'
import { isCall, isRequest, type QueryStore } from './counted-calls.ts'

/** The scores of one name. 64-bit numbers are text. */
interface ScoreSums {
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
 * Scores given in a range by name, the most frequent first. A filter selects those of traces and sessions with a matching call,
 * whenever that was.
 */
function sumScores(
	store: QueryStore,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
	{ filter, limit }: { filter: CallFilter; limit: number },
): Promise<ScoreSums[]> {
	const { sql, parameters } = filterSql(filter)
	const kinds = asksForRequests(filter) ? isRequest : isCall
	const scores = `FROM logs WHERE workspace_id = {workspace:String} AND event_name = {event:String}
		AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
	const scored = (id: string, of: string) =>
		`${of} IN (SELECT ${id} FROM spans WHERE workspace_id = {workspace:String} AND ${id} IN (SELECT ${of} ${scores})
			AND ${kinds}${sql})`
	return readStore(() =>
		store.query<ScoreSums>(
			`SELECT ${attribute(scoreKeys.name)} AS name, count() AS scores, count(${number}) AS numbers, avg(${number}) AS average,
				min(${number}) AS least, max(${number}) AS most, quantileExact(0.5)(${number}) AS median,
				sumMap(if(${label} = '', [], [${label}]), if(${label} = '', [], [toUInt64(1)])) AS labels,
				toString(toUnixTimestamp64Milli(max(recorded_at))) AS last_ms
			${scores} ${sql === '' ? '' : `AND (${scored('trace_id', 'trace_id')} OR (${session} != '' AND ${scored('session_id', session)}))`}
			GROUP BY name ORDER BY count() DESC, name LIMIT {limit:UInt32}`,
			{ ...parameters, workspace: workspaceId, event: evaluationEvent, start: startMs, end: endMs, limit },
		),
	)
}

type Operation = (typeof spotlightOperations)['scores']

/** Scores by name. */
export async function readScores(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const found = await sumScores(store, workspaceId, range, { filter, limit })
	return { start: toIso(range.startMs), end: toIso(range.endMs), scores: found.map(present) }
}

function present(sums: ScoreSums): OutputOf<Operation>['scores'][number] {
	const [labels, counts] = sums.labels
	const hasNumbers = sums.numbers !== '0'
	return {
		name: sums.name,
		scores: Number(sums.scores),
		average: hasNumbers ? sums.average : null,
		min: hasNumbers ? sums.least : null,
		max: hasNumbers ? sums.most : null,
		median: hasNumbers ? sums.median : null,
		labels: labels
			.map((label, at) => ({ label, scores: Number(counts[at]) }))
			.sort((a, b) => b.scores - a.scores || (a.label < b.label ? -1 : 1))
			.slice(0, maxLabels),
		last_scored_at: toIso(Number(sums.last_ms)),
	}
}

/** Labels that are free text would make the answer too large. */
const maxLabels = 50
