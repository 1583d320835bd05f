import type { SavedView } from './queries.ts'

/** The search parameters with which Spotlight shows a saved view. */
export function spotlightSearchOf({ read, range, filter, compare, sort }: SavedView) {
	return {
		...filter,
		...(read !== 'overview' && read !== 'timeseries' && { by: read }),
		start: `-${range}`,
		...(compare && { compare: true as const }),
		...(sort !== 'calls' && { sort }),
	}
}
