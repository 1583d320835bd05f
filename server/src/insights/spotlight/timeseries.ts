import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { presentMoney } from '../../ledger/index.ts'
import { readInterval } from '../../platform/choose-interval.ts'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import type { CallFilter } from './call-filter.ts'
import { readGroupBy } from './group-by.ts'
import { type BucketSums, sumBuckets } from './group-repository.ts'
import type { QueryStore } from './repository.ts'

type Timeseries = OutputOf<(typeof spotlightOperations)['timeseries']>
type Bucket = Timeseries['buckets'][number]

export interface TimeseriesQuestion {
	intervalMs?: number | undefined
	/** The groups with the most calls, each over time. */
	groupBy?: readonly string[] | undefined
	/** Also the range before, which is as long. */
	compare?: boolean
}

const mostSeries = 10

/** Every bucket of the range, empty ones too; the last may reach past its end. */
export async function readTimeseries(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	{ intervalMs: wantedMs, groupBy, compare = false }: TimeseriesQuestion = {},
): Promise<Timeseries> {
	const intervalMs = readInterval(range, wantedMs)
	const before = { startMs: 2 * range.startMs - range.endMs, endMs: range.startMs }
	const read = async (of: TimeRange, names?: readonly string[]) => {
		const question = { intervalMs, filter, groupBy: readGroupBy(names), limit: mostSeries }
		return sumBuckets(store, workspaceId, of, question)
	}
	const [all, grouped, previous] = await Promise.all([
		read(range),
		groupBy?.length ? read(range, groupBy) : null,
		compare ? read(before) : null,
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		interval_ms: intervalMs,
		buckets: fillBuckets(all, range, intervalMs),
		...(grouped && { series: toSeries(grouped, groupBy, range, intervalMs) }),
		...(previous && { previous_buckets: fillBuckets(previous, before, intervalMs) }),
	}
}

function toSeries(
	sums: readonly BucketSums[],
	names: readonly string[] | undefined,
	range: TimeRange,
	intervalMs: number,
): NonNullable<Timeseries['series']> {
	const { valuesOf } = readGroupBy(names)
	return [...Map.groupBy(sums, ({ place }) => place).values()].map((own) => ({
		group: valuesOf(own[0] as BucketSums),
		buckets: fillBuckets(own, range, intervalMs),
	}))
}

function fillBuckets(sums: readonly BucketSums[], range: TimeRange, intervalMs: number): Bucket[] {
	const byBucket = new Map(sums.map((sum) => [Number(sum.bucket), sum]))
	return Array.from({ length: Math.ceil((range.endMs - range.startMs) / intervalMs) }, (_, bucket) =>
		presentBucket(range.startMs + bucket * intervalMs, byBucket.get(bucket)),
	)
}

function presentBucket(startMs: number, sum: BucketSums | undefined): Bucket {
	return {
		start: toIso(startMs),
		calls: Number(sum?.calls ?? 0),
		errors: Number(sum?.errors ?? 0),
		tool_calls: Number(sum?.tool_calls ?? 0),
		model_calls: Number(sum?.model_calls ?? 0),
		...presentMoney('cost', sum?.cost_nano_usd ?? '0'),
	}
}
