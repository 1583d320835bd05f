import type { OutputOf, releaseOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import type { QueryStore } from '../repository.ts'
import { listReleases, type ReleaseSums } from './repository.ts'

type ReleaseList = OutputOf<(typeof releaseOperations)['releases']>

/** The newest release of each server, with the one that was called before it. */
export async function readReleases(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
): Promise<ReleaseList> {
	const found = Object.values(
		Object.groupBy(await listReleases(store, workspaceId, range), ({ id }) => id),
	) as [ReleaseSums, ...ReleaseSums[]][]
	const releases = found.map(([newest, before]) => ({
		server: { id: newest.id, name: newest.name },
		...figuresOf(newest),
		before: before ? figuresOf(before) : null,
	}))
	return { start: toIso(range.startMs), end: toIso(range.endMs), releases }
}

function figuresOf({ version, first_ms, last_ms, ...sums }: ReleaseSums) {
	const calls = Number(sums.calls)
	const [p50 = null, p95 = null, p99 = null] = sums.quantiles_ns.map((ns) => Number(ns) / 1e6)
	return {
		version,
		calls,
		error_rate: Number(sums.errors) / calls,
		latency_ms: { p50, p95, p99 },
		first_seen_at: toIso(Number(first_ms)),
		last_seen_at: toIso(Number(last_ms)),
	}
}
