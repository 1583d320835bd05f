import { type PointFilter, pointConditions } from '../metrics/metric-repository.ts'
import { byName, type NamePage, placeParameters } from './name-place.ts'
import { type QueryStore, readStore } from './span-repository.ts'

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
	name_start: string
	name_hash: string
}

const who = 'service, namespace, version, environment'
const list = byName('service', who)

/** Who sent telemetry in a range, by service. */
export function findResources(
	store: QueryStore,
	workspaceId: string,
	filter: PointFilter,
	{ range, after, limit }: NamePage,
): Promise<StoredResource[]> {
	const { sql, parameters } = pointConditions(filter)
	const seen = (table: string, time: string) =>
		`SELECT service_name AS service, resource['service.namespace'] AS namespace, resource['service.version'] AS version,
			if(mapContains(resource, 'deployment.environment.name'), resource['deployment.environment.name'], resource['deployment.environment']) AS environment,
			'${table}' AS signal, count() AS items,
			min(${time}) AS first, max(${time}) AS last
		FROM ${table} WHERE workspace_id = {workspace:String} AND ${time} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
			AND ${time} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')${sql} GROUP BY ${who}`
	return readStore(() =>
		store.query<StoredResource>(
			`SELECT service, namespace, version, environment, sumIf(items, signal = 'spans') AS spans,
				sumIf(items, signal = 'logs') AS log_records, sumIf(items, signal = 'metrics') AS data_points,
				toString(toUnixTimestamp64Milli(min(first))) AS first_ms, toString(toUnixTimestamp64Milli(max(last))) AS last_ms, ${list.columns}
			FROM (${[seen('spans', 'started_at'), seen('logs', 'recorded_at'), seen('metrics', 'recorded_at')].join(' UNION ALL ')})
			WHERE 1 ${after ? list.after : ''} GROUP BY ${who} ORDER BY ${list.order} LIMIT {limit:UInt32}`,
			{
				...parameters,
				...placeParameters(after),
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				limit,
			},
		),
	)
}
