import type { QueryOf, spotlightOperations } from '@signalbox/contract'
import { presentMoney } from '../../ledger/index.ts'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { groupings, sortExpressions } from './breakdowns.ts'
import type { CallFilter } from './call-filter.ts'
import { type CallFigures, presentFigures } from './figures.ts'
import { readGroupBy } from './group-by.ts'
import { type Grouping, type GroupOrder, type GroupSums, sumGroups } from './group-repository.ts'
import type { QueryStore } from './repository.ts'

type Noun = keyof typeof groupings
type Asking = QueryOf<(typeof spotlightOperations)['tools']>
/** What every list is asked, its conditions from wherever they come. */
export type Query = Pick<Asking, 'start' | 'end' | 'sort' | 'limit' | 'group_by' | 'compare'> & CallFilter
type Present<Row> = (sums: GroupSums) => Row

interface Seen {
	first_seen_at: string
	last_seen_at: string
}

interface Asked {
	group?: Record<string, string>
	/** Null where the group had no calls. */
	previous?: CallFigures | null
}

export interface Breakdown<Row> {
	start: string
	end: string
	/** How many groups there are. */
	total: number
	rows: (Row & CallFigures & Seen & Asked)[]
}

/** The largest groups of calls with their figures, put together as a list does. */
export function readBreakdown<Row>(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	noun: Noun,
	query: Query,
	present: Present<Row>,
): Promise<Breakdown<Row>> {
	return readGroups(store, workspaceId, range, groupings[noun], query, present)
}

/** The same by whatever was asked for. A sort by changes compares, whether asked or not. */
export async function readGroups<Row>(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	grouping: Grouping,
	{ sort, limit, group_by, compare, start: _start, end: _end, ...filter }: Query,
	present: Present<Row>,
): Promise<Breakdown<Row>> {
	const groupBy = readGroupBy(group_by)
	const order = readOrder(sort, limit)
	const isCompared = compare === 'previous' || order.isChange
	const question = { filter, groupBy, order, compare: isCompared }
	const found = await sumGroups(store, workspaceId, range, grouping, question)
	const presentRow = (sums: GroupSums, before: GroupSums | undefined) => ({
		...present(sums),
		...(sums.is_now === 1 ? presentFigures(sums, sums) : nothing),
		first_seen_at: toIso(Number(sums.first_ms)),
		last_seen_at: toIso(Number(sums.last_ms)),
		...(group_by && { group: groupBy.valuesOf(sums) }),
		...(isCompared && { previous: before ? presentFigures(before, before) : null }),
	})
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		total: Number(found[0]?.groups ?? 0),
		rows: pairsOf(found, limit).map(([now, before]) => presentRow(now, before)),
	}
}

function readOrder(sort: Query['sort'], limit: number): GroupOrder {
	const measure = sort.replace(/_change$/, '') as keyof typeof sortExpressions
	return { by: sortExpressions[measure], isChange: measure !== sort, limit }
}

/** Each group as it is now and as it was before; one that is gone stands as it was, for its name. */
function pairsOf(rows: readonly GroupSums[], limit: number): [GroupSums, GroupSums | undefined][] {
	const places = Map.groupBy(rows, ({ place }, at) => Number(place ?? at + 1))
	return [...places]
		.filter(([place]) => place <= limit)
		.map(([, pair]) => {
			const before = pair.find(({ is_now }) => is_now === 0)
			return [(pair.find(({ is_now }) => is_now === 1) ?? before) as GroupSums, before]
		})
}

/** The figures of no calls. */
const nothing: CallFigures = {
	calls: 0,
	errors: 0,
	error_rate: null,
	latency_ms: { p50: null, p95: null, p99: null },
	tool_calls: 0,
	model_calls: 0,
	tokens: { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 },
	...presentMoney('cost', 0n),
	unpriced_calls: 0,
	sessions: 0,
	users: 0,
}
