import type { TimeRange } from '../../../platform/time-range.ts'
import { readStore, releaseAttribute } from '../../../telemetry/index.ts'
import { inStretches, stretchParameters } from '../counted-calls.ts'
import type { QueryStore } from '../repository.ts'

/** 64-bit numbers as text. */
export interface ReleaseSums {
	id: string
	name: string
	version: string
	calls: string
	errors: string
	quantiles_ns: string[]
	first_ms: string
	last_ms: string
}

/** Every release of every server that was called; of each server the newest first. */
export function listReleases(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
): Promise<ReleaseSums[]> {
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
