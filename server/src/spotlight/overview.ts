import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { TimeRange } from '../platform/time-range.ts'
import type { CallFilter } from './call-filter.ts'
import { type CallFigures, presentFigures } from './figures.ts'
import { countVisitors, type QueryStore, sumCalls } from './repository.ts'

type Overview = OutputOf<(typeof spotlightOperations)['overview']>

/** With `compare`, also the figures of the range before, which is as long. */
export async function readOverview(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	compare = false,
): Promise<Overview> {
	const before = { startMs: 2 * range.startMs - range.endMs, endMs: range.startMs }
	const [figures, previous] = await Promise.all([
		readFigures(store, workspaceId, range, filter),
		compare ? readFigures(store, workspaceId, before, filter) : null,
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		...figures,
		...(previous && { previous }),
	}
}

async function readFigures(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<CallFigures> {
	const [sums, visitors] = await Promise.all([
		sumCalls(store, workspaceId, range, filter),
		countVisitors(store, workspaceId, range, filter),
	])
	return presentFigures(sums, visitors)
}
