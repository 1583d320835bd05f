import { type exportedLists, spotlightExport } from '@signalbox/contract'
import type { Static } from 'typebox'
import type { Clock } from '../../../platform/clock.ts'
import { type CsvCell, csvTable } from '../../../platform/csv.ts'
import { Problem } from '../../../platform/errors.ts'
import { createQueryReader } from '../../../platform/http/read-body.ts'
import { principalIn, type Route } from '../../../platform/http/route.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import { presentGroup, readBreakdown, readUsage } from '../breakdowns.ts'
import type { QueryStore } from '../counted-calls.ts'
import { readTimeseries } from '../timeseries.ts'

/** Fields of an object are columns named `outer.inner`. */
function flatten(value: object, before = ''): Map<string, CsvCell> {
	return new Map(
		Object.entries(value).flatMap(([name, inner]): [string, CsvCell][] =>
			typeof inner === 'object' && inner !== null
				? [...flatten(inner, `${before}${name}.`)]
				: [[before + name, typeof inner === 'boolean' ? String(inner) : (inner as CsvCell)]],
		),
	)
}

interface Dependencies {
	telemetry: QueryStore
	clock: Clock
}

type List = (typeof exportedLists)[number]
type Query = Omit<Static<typeof spotlightExport.query>, 'list' | 'format'>

const formats = {
	csv: {
		type: 'text/csv; charset=utf-8; header=present',
		write: (rows: readonly object[]) => csvTable(rows.map((row) => flatten(row))),
	},
	json: { type: 'application/json; charset=utf-8', write: (rows: readonly object[]) => JSON.stringify(rows) },
}

/** `GET /v1/spotlight/export`: the rows of a list as a file. */
export function exportRoute({ telemetry, clock }: Dependencies): Route {
	const { id, method, path, access, query: schema } = spotlightExport
	const readQuery = createQueryReader(schema)
	return {
		...{ id, method, path, access, family: 'api', streams: true },
		handle: async (request, response, context) => {
			const { list, format, ...query } = readQuery(context.search)
			const { workspaceId } = principalIn(context)
			// Before the headers are sent, so that an unavailable store is still reported by a status code.
			const rows = await readRows({ telemetry, clock }, workspaceId, list, query)
			const { type, write } = formats[format]
			response.writeHead(200, {
				'content-type': type,
				'content-disposition': `attachment; filename="${list}.${format}"`,
				'cache-control': 'no-store',
			})
			response.end(request.method === 'HEAD' ? undefined : write(rows))
		},
	}
}

async function readRows(
	{ telemetry, clock }: Dependencies,
	workspaceId: string,
	list: List,
	query: Query,
): Promise<readonly object[]> {
	const range = readTimeRange(query, clock.nowMs())
	if (list === 'usage') return (await readUsage(telemetry, workspaceId, range, query)).usage
	if (list !== 'timeseries') {
		const wanted = { workspaceId, range, noun: list, query, present: presentGroup[list] }
		return (await readBreakdown<object>(telemetry, wanted)).rows
	}
	const { start: _start, end: _end, sort: _sort, limit: _limit, group_by, compare, ...filter } = query
	if (compare && group_by)
		throw new Problem('invalid_request', 'compare: a file of time series by group has no comparison.')
	const wanted = { groupBy: group_by, compare: compare === 'previous' }
	const read = await readTimeseries(telemetry, workspaceId, range, filter, wanted)
	const { buckets, series, previous_buckets: previous } = read
	if (previous) return buckets.map((bucket, at) => ({ ...bucket, previous: previous[at] }))
	return series?.flatMap(({ group, buckets: own }) => own.map((bucket) => ({ group, ...bucket }))) ?? buckets
}
