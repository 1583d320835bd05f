import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { readInterval, type TimeRange } from '../../platform/time-range.ts'
import { presentFigures } from './breakdowns.ts'
import { type CallFilter, readGroupBy } from './call-filter.ts'
import { noCalls } from './call-sums-repository.ts'
import type { QueryStore } from './counted-calls.ts'
import { type BucketSums, sumBuckets } from './group-repository.ts'

type Timeseries = OutputOf<(typeof spotlightOperations)['timeseries']>
type Bucket = Timeseries['buckets'][number]

export interface TimeseriesQuery {
	intervalMs?: number | undefined
	/** Returns the groups with the most calls, each over time. */
	groupBy?: readonly string[] | undefined
	/** Whether to include the previous range of the same length. */
	compare?: boolean
}

const maxSeries = 10

/**
 * Every bucket of the range, including empty ones. They begin at whole intervals of the clock, so that a peak has the same height
 * whenever it is viewed; the first may begin before the range, and the last may end after it. Each bucket of the previous range begins
 * the length of the range before the one to which it is compared, so that both are cut in the same way.
 */
export async function readTimeseries(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	{ intervalMs: wantedMs, groupBy, compare = false }: TimeseriesQuery = {},
): Promise<Timeseries> {
	const intervalMs = readInterval(range, wantedMs)
	const before = { startMs: 2 * range.startMs - range.endMs, endMs: range.startMs }
	const firstMs = Math.floor(range.startMs / intervalMs) * intervalMs
	const originOf = (of: TimeRange) => firstMs + of.startMs - range.startMs
	const read = async (of: TimeRange, names?: readonly string[]) => {
		const query = { intervalMs, filter, groupBy: readGroupBy(names), limit: maxSeries }
		return sumBuckets(store, workspaceId, of, { ...query, originMs: originOf(of) })
	}
	const fill = (sums: readonly BucketSums[], of: TimeRange = range) =>
		fillBuckets(sums, { originMs: originOf(of), intervalMs, count })
	const count = Math.ceil((range.endMs - firstMs) / intervalMs)
	const [all, grouped, previous] = await Promise.all([
		read(range),
		groupBy?.length ? read(range, groupBy) : null,
		compare ? read(before) : null,
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		interval_ms: intervalMs,
		buckets: fill(all),
		...(grouped && { series: toSeries(grouped, groupBy, fill) }),
		...(previous && { previous_buckets: fill(previous, before) }),
	}
}

function toSeries(
	sums: readonly BucketSums[],
	names: readonly string[] | undefined,
	fill: (sums: readonly BucketSums[]) => Bucket[],
): NonNullable<Timeseries['series']> {
	const { valuesOf } = readGroupBy(names)
	return [...Map.groupBy(sums, ({ place }) => place).values()].map((own) => ({
		group: valuesOf(own[0] as BucketSums),
		buckets: fill(own),
	}))
}

function fillBuckets(
	sums: readonly BucketSums[],
	{ originMs, intervalMs, count }: { originMs: number; intervalMs: number; count: number },
): Bucket[] {
	const byBucket = new Map(sums.map((sum) => [Number(sum.bucket), sum]))
	return Array.from({ length: count }, (_, bucket) =>
		presentBucket(originMs + bucket * intervalMs, byBucket.get(bucket)),
	)
}

function presentBucket(startMs: number, sums: BucketSums | undefined): Bucket {
	const figures = presentFigures(sums ?? noCalls, noCalls)
	const { calls, errors, latency_ms, tool_calls, model_calls, tokens, cost_nano_usd, cost_usd } = figures
	return {
		...{ start: toIso(startMs), calls, errors, tool_calls, model_calls, latency_ms },
		total_tokens: Object.values(tokens).reduce((sum, count) => sum + count, 0),
		...{ cost_nano_usd, cost_usd },
	}
}
