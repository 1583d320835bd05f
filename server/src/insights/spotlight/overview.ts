import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { countAmbiguous } from './ambiguous-repository.ts'
import { readUsageGroups } from './breakdowns.ts'
import type { CallFilter } from './call-filter.ts'
import { countVisitors, noCalls, sumCalls, sumWindows, type Windows } from './call-sums-repository.ts'
import type { QueryStore } from './counted-calls.ts'
import { type CallFigures, presentFigures } from './figures.ts'

type Overview = OutputOf<(typeof spotlightOperations)['overview']>

interface OverviewQuery {
	/** Also the figures of the range before, which is as long. */
	compare?: boolean
	/** Also those of the largest groups. */
	groupBy?: string[] | undefined
}

const mostGroups = 50

/** The figures of a range. */
export async function readOverview(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	{ compare = false, groupBy }: OverviewQuery = {},
): Promise<Overview> {
	const before = { startMs: 2 * range.startMs - range.endMs, endMs: range.startMs }
	const asked = {
		...filter,
		sort: 'calls' as const,
		limit: mostGroups,
		group_by: groupBy ?? [],
		...(compare && { compare: 'previous' as const }),
	}
	const [figures, ambiguous, previous, groups] = await Promise.all([
		readFigures(store, workspaceId, range, filter),
		countAmbiguous(store, workspaceId, range, filter),
		compare ? readFigures(store, workspaceId, before, filter) : null,
		groupBy?.length ? readUsageGroups(store, workspaceId, range, asked) : null,
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		...figures,
		ambiguous_calls: ambiguous,
		...(previous && { previous }),
		...(groups && { groups: groups.rows }),
	}
}

/** `visitors`: whether sessions and users are counted, too, which is a query of its own; else they are 0. */
export async function readFigures(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	visitors = true,
): Promise<CallFigures> {
	const [sums, counted] = await Promise.all([
		sumCalls(store, workspaceId, range, filter),
		visitors ? countVisitors(store, workspaceId, range, filter) : { sessions: '0', users: '0' },
	])
	return presentFigures(sums, counted)
}

/** The figures of each of many windows, in their order, by few queries. */
export async function readWindows(
	store: QueryStore,
	workspaceId: string,
	windows: Windows,
	filter: CallFilter = {},
	visitors = true,
): Promise<CallFigures[]> {
	const found = await sumWindows(store, workspaceId, windows, filter, visitors)
	return Array.from({ length: windows.count }, (_, place) => {
		const sums = found.get(place) ?? noCalls
		return presentFigures(sums, sums)
	})
}
