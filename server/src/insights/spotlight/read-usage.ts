import type { OutputOf, QueryOf, spotlightOperations } from '@signalbox/contract'
import type { TimeRange } from '../../platform/time-range.ts'
import { type Breakdown, type Query, readGroups } from './read-breakdown.ts'
import type { QueryStore } from './repository.ts'

type Operation = (typeof spotlightOperations)['usage']
type Group = { group: Record<string, string> }

const everyCall = { by: {}, shown: {}, where: '1' }
const ordinary = ['provider', 'model']

/** Calls put together by fields and attributes alone. */
export function readUsageGroups(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	query: Query,
): Promise<Breakdown<Group>> {
	// The group itself comes with what was asked for.
	return readGroups<Group>(store, workspaceId, range, everyCall, query, () => ({ group: {} })) as Promise<
		Breakdown<Group>
	>
}

export async function readUsage(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	query: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const asked = { ...query, group_by: query.group_by?.length ? query.group_by : ordinary }
	const { rows, ...rest } = await readUsageGroups(store, workspaceId, range, asked)
	return { ...rest, usage: rows }
}
