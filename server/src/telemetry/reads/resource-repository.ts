import type { TimeRange } from '../../platform/time-range.ts'
import { type QueryStore, readStore } from './repository.ts'

/** A row as the store answers it. */
export interface StoredResource {
	service: string
	namespace: string
	version: string
	environment: string
	spans: string
	log_records: string
	data_points: string
	first_ms: string
	last_ms: string
}

/** Who sent telemetry in a range, the latest first. */
export function findResources(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
): Promise<StoredResource[]> {
	const seen = (table: string, time: string) =>
		`SELECT service_name AS service, resource['service.namespace'] AS namespace, resource['service.version'] AS version,
			if(mapContains(resource, 'deployment.environment.name'), resource['deployment.environment.name'], resource['deployment.environment']) AS environment,
			'${table}' AS signal, count() AS items,
			min(${time}) AS first, max(${time}) AS last
		FROM ${table} WHERE workspace_id = {workspace:String} AND ${time} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
			AND ${time} < fromUnixTimestamp64Milli({end:Int64}, 'UTC') GROUP BY service, namespace, version, environment`
	return readStore(() =>
		store.query<StoredResource>(
			`SELECT service, namespace, version, environment, sumIf(items, signal = 'spans') AS spans,
				sumIf(items, signal = 'logs') AS log_records, sumIf(items, signal = 'metrics') AS data_points,
				toString(toUnixTimestamp64Milli(min(first))) AS first_ms, toString(toUnixTimestamp64Milli(max(last))) AS last_ms
			FROM (${[seen('spans', 'started_at'), seen('logs', 'recorded_at'), seen('metrics', 'recorded_at')].join(' UNION ALL ')})
			GROUP BY service, namespace, version, environment ORDER BY max(last) DESC, service, namespace, version, environment LIMIT 1000`,
			{ workspace: workspaceId, start: range.startMs, end: range.endMs },
		),
	)
}
