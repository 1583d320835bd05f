import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { TimeRange } from '../platform/time-range.ts'
import type { CallFilter } from './call-filter.ts'
import { type QueryStore, sumBuckets } from './repository.ts'

const mostBuckets = 120
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const intervals = [
	1,
	5,
	10,
	50,
	100,
	500,
	...[1, 5, 10, 15, 30].map((count) => count * second),
	...[1, 5, 10, 15, 30].map((count) => count * minute),
	...[1, 3, 6, 12].map((count) => count * hour),
	...[1, 2, 7, 14, 28].map((count) => count * day),
]

/** The shortest usual interval with which a range has at most 120 buckets. */
export function chooseInterval({ startMs, endMs }: TimeRange): number {
	const leastMs = (endMs - startMs) / mostBuckets
	return intervals.find((interval) => interval >= leastMs) ?? Math.ceil(leastMs / day) * day
}

/** Every bucket of the range, empty ones too; the last may reach past its end. */
export async function readTimeseries(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<OutputOf<(typeof spotlightOperations)['timeseries']>> {
	const intervalMs = chooseInterval(range)
	const sums = await sumBuckets(store, workspaceId, range, intervalMs, filter)
	const byBucket = new Map(sums.map((sum) => [Number(sum.bucket), sum]))
	const buckets = Array.from(
		{ length: Math.ceil((range.endMs - range.startMs) / intervalMs) },
		(_, bucket) => {
			const sum = byBucket.get(bucket)
			const [calls, toolCalls] = [Number(sum?.calls ?? 0), Number(sum?.tool_calls ?? 0)]
			return {
				start: toIso(range.startMs + bucket * intervalMs),
				calls,
				errors: Number(sum?.errors ?? 0),
				tool_calls: toolCalls,
				model_calls: calls - toolCalls,
			}
		},
	)
	return { start: toIso(range.startMs), end: toIso(range.endMs), interval_ms: intervalMs, buckets }
}
