import type { metricKinds } from '@signalbox/contract'
import type { TimeRange } from '../../platform/time-range.ts'
import { type QueryStore, readStore } from '../reads/repository.ts'

/** As the store answers it: 64-bit numbers as text. */
export interface StoredMetric {
	name: string
	kind: (typeof metricKinds)[number]
	unit: string
	description: string
	temporality: number
	is_monotonic: number
	points: string
	last_ms: string
}

/** The metrics of a time range by name; one that changed its kind or unit is there once for each. */
export function findMetrics(
	store: QueryStore,
	workspaceId: string,
	{ range, service }: { range: TimeRange; service: string | undefined },
): Promise<StoredMetric[]> {
	return readStore(() =>
		store.query<StoredMetric>(
			`SELECT metric AS name, kind, unit, anyLast(description) AS description, temporality, is_monotonic, count() AS points,
				toString(toUnixTimestamp64Milli(max(recorded_at))) AS last_ms
			FROM metrics WHERE workspace_id = {workspace:String}
				AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${service === undefined ? '' : 'AND service_name = {service:String}'}
			GROUP BY metric, kind, unit, temporality, is_monotonic ORDER BY metric, kind, unit, temporality, is_monotonic LIMIT 1000`,
			{
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				...(service !== undefined && { service }),
			},
		),
	)
}
