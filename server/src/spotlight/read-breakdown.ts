import type { QueryOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { TimeRange } from '../platform/time-range.ts'
import { groupings, sortExpressions } from './breakdowns.ts'
import { type CallFigures, presentFigures } from './figures.ts'
import { type GroupSums, type QueryStore, sumGroups } from './repository.ts'

type Noun = keyof typeof groupings
type Query = QueryOf<(typeof spotlightOperations)['tools']>
type Present<Row> = (sums: GroupSums) => Row

interface Seen {
	first_seen_at: string
	last_seen_at: string
}

interface Breakdown<Row> {
	start: string
	end: string
	/** How many groups there are. */
	total: number
	rows: (Row & CallFigures & Seen)[]
}

/** The largest groups of calls with their figures. */
export async function readBreakdown<Row>(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	noun: Noun,
	{ sort, limit, start: _start, end: _end, ...filter }: Query,
	present: Present<Row>,
): Promise<Breakdown<Row>> {
	const order = { filter, limit, sort: sortExpressions[sort] }
	const found = await sumGroups(store, workspaceId, range, groupings[noun], order)
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		total: Number(found[0]?.groups ?? 0),
		rows: found.map((sums) => ({
			...present(sums),
			...presentFigures(sums, sums),
			first_seen_at: toIso(Number(sums.first_ms)),
			last_seen_at: toIso(Number(sums.last_ms)),
		})),
	}
}
