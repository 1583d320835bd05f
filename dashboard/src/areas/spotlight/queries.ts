import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'
import { isRelative, type TimeRange } from '../../lib/time-range.ts'

export type Overview = Schemas['SpotlightOverview']
export type Timeseries = Schemas['Timeseries']

const freshMs = 5_000

export function overviewQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['spotlight', 'overview', range],
		queryFn: () => take(api.GET('/v1/spotlight/overview', { params: { query: range } })),
		refetchInterval: isRelative(range) ? freshMs : false,
		placeholderData: keepPreviousData,
	})
}

export function timeseriesQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['spotlight', 'timeseries', range],
		queryFn: () => take(api.GET('/v1/spotlight/timeseries', { params: { query: range } })),
		refetchInterval: isRelative(range) ? freshMs : false,
		placeholderData: keepPreviousData,
	})
}
