import type { OutputOf, releaseOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { readStore, releaseAttribute } from '../../telemetry/index.ts'
import { inStretches, type QueryStore, stretchParameters } from './counted-calls.ts'

/** 64-bit numbers are text. */
interface ReleaseSums {
	id: string
	name: string
	version: string
	calls: string
	errors: string
	quantiles_ns: string[]
	first_ms: string
	last_ms: string
}

/** Every release of every server that was called; for each server the newest first. */
function listReleases(store: QueryStore, workspaceId: string, range: TimeRange): Promise<ReleaseSums[]> {
	return readStore(() =>
		store.query<ReleaseSums>(
			`SELECT server_id AS id, argMax(server_name, started_at) AS name, attributes['${releaseAttribute}'] AS version,
				count() AS calls, countIf(status = 'error') AS errors,
				quantilesExact(0.5, 0.95, 0.99)(duration_ns) AS quantiles_ns,
				toUnixTimestamp64Milli(min(started_at)) AS first_ms, toUnixTimestamp64Milli(max(started_at)) AS last_ms
			FROM spans WHERE ${inStretches(1)} AND source = 'gateway' AND kind = 'tool_call' AND status IN ('ok', 'error')
				AND server_id != '' AND version != ''
			GROUP BY id, version ORDER BY id, first_ms DESC, version`,
			stretchParameters(workspaceId, [range]),
		),
	)
}

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
