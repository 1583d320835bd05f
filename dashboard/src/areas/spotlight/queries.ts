import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { isRelative, type TimeRange } from '../../lib/time-range.ts'
import type { By, CallFilter, Sort } from './breakdowns.ts'
import { presentRows } from './present-rows.ts'

export type Overview = Schemas['SpotlightOverview']
export type Timeseries = Schemas['Timeseries']
export type Release = Schemas['ServerRelease']

const freshMs = 5_000

export function overviewQuery(range: TimeRange, filter: CallFilter = {}) {
	return queryOptions({
		queryKey: ['spotlight', 'overview', range, filter],
		queryFn: () => unwrap(api.GET('/v1/spotlight/overview', { params: { query: { ...range, ...filter } } })),
		refetchInterval: isRelative(range) ? freshMs : false,
		placeholderData: keepPreviousData,
	})
}

/** How calls over time are shown: by groups, or next to the previous range. */
export interface TimeseriesView {
	group_by?: string[]
	compare?: 'previous'
}

export function timeseriesQuery(range: TimeRange, filter: CallFilter = {}, view: TimeseriesView = {}) {
	const query = { ...range, ...filter, ...view }
	return queryOptions({
		queryKey: ['spotlight', 'timeseries', query],
		queryFn: () => unwrap(api.GET('/v1/spotlight/timeseries', { params: { query } })),
		refetchInterval: isRelative(range) ? freshMs : false,
		placeholderData: keepPreviousData,
	})
}

export interface BreakdownQuery {
	by: By
	range: TimeRange
	filter: CallFilter
	sort: Sort
	limit: number
	/** Whether to include each row's figures of the previous range. */
	compare: boolean
	groups: readonly string[]
}

/** Calls grouped by one property, with the number of groups in the whole range. */
export function breakdownQuery({ by, groups, range, filter, sort, limit, compare }: BreakdownQuery) {
	const query = {
		...{ ...range, ...filter, sort, limit },
		...(groups.length > 0 && { group_by: [...groups] }),
		...(compare && { compare: 'previous' as const }),
	}
	return queryOptions({
		queryKey: ['spotlight', by, query],
		queryFn: () => readBreakdown(by, query),
		refetchInterval: isRelative(range) ? 2 * freshMs : false,
	})
}

type Query = TimeRange & CallFilter & TimeseriesView & { sort: Sort; limit: number }

async function readBreakdown(by: By, query: Query) {
	const answer = await unwrap(api.GET(`/v1/spotlight/${by}`, { params: { query } }))
	const rows = (answer as unknown as Record<By, Parameters<typeof presentRows<By>>[1]>)[by]
	return { total: answer.total, rows: presentRows(by, rows) }
}

/** The version of a server, as reported to the gateway. */
export const versionField = 'signalbox.server.version'

/** The newest release of each server in the last day, next to the previous one. */
export const releasesQuery = queryOptions({
	queryKey: ['spotlight', 'releases'],
	queryFn: async () => (await unwrap(api.GET('/v1/spotlight/releases'))).releases,
	refetchInterval: 60_000,
})
