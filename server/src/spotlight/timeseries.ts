import type { OutputOf, spotlightOperations } from '@signalbox/contract'
import { readInterval } from '../platform/choose-interval.ts'
import { toIso } from '../platform/clock.ts'
import type { TimeRange } from '../platform/time-range.ts'
import type { CallFilter } from './call-filter.ts'
import { type QueryStore, sumBuckets } from './repository.ts'

/** Every bucket of the range, empty ones too; the last may reach past its end. */
export async function readTimeseries(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	wantedIntervalMs?: number,
): Promise<OutputOf<(typeof spotlightOperations)['timeseries']>> {
	const intervalMs = readInterval(range, wantedIntervalMs)
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
				cost_nano_usd: sum?.cost_nano_usd ?? '0',
			}
		},
	)
	return { start: toIso(range.startMs), end: toIso(range.endMs), interval_ms: intervalMs, buckets }
}
