import type { metricKinds } from '@signalbox/contract'
import { attributeConditions } from '../reads/attribute-conditions.ts'
import { byName, type NamePage, placeParameters } from '../reads/name-place.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'

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
	name_start: string
	name_hash: string
}

/** Which points are looked at. */
export interface PointFilter {
	service?: string
	/** See `attributeConditions`. */
	attribute?: string[]
}

/** ` AND …` for each condition of a filter on rows that say who sent them, and its parameters. */
export function pointConditions({ service, attribute }: PointFilter) {
	const attributes = attributeConditions(attribute)
	return {
		sql: `${service === undefined ? '' : ' AND service_name = {service:String}'}${attributes.sql}`,
		parameters: { ...attributes.parameters, ...(service !== undefined && { service }) },
	}
}

const shape = 'metric, kind, unit, temporality, is_monotonic'
const list = byName('metric', shape)

/** The metrics of a time range by name; one that changed its kind or unit is there once for each. */
export function findMetrics(
	store: QueryStore,
	workspaceId: string,
	filter: PointFilter,
	{ range, after, limit }: NamePage,
): Promise<StoredMetric[]> {
	const { sql, parameters } = pointConditions(filter)
	return readStore(() =>
		store.query<StoredMetric>(
			`SELECT metric AS name, kind, unit, anyLast(description) AS description, temporality, is_monotonic, count() AS points,
				toString(toUnixTimestamp64Milli(max(recorded_at))) AS last_ms, ${list.columns}
			FROM metrics WHERE workspace_id = {workspace:String}
				AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${sql} ${after ? list.after : ''}
			GROUP BY ${shape} ORDER BY ${list.order} LIMIT {limit:UInt32}`,
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
