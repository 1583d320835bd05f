import type { OutputOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { type PointFilter, pointConditions } from '../metrics/metric-repository.ts'
import { originSql } from '../span-columns.ts'
import { attributesOfSpans, eachCondition, keyOfCondition, mapOfResource } from './attribute-conditions.ts'
import type { ReadDependencies } from './cursor.ts'
import { byName, type NamePage, placeParameters } from './name-place.ts'
import { type QueryStore, readStore } from './span-repository.ts'

/** A service as the store returns it. */
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
const byService = byName('service', who)

/** The services that sent telemetry in a range. */
export function findResources(
	store: QueryStore,
	workspaceId: string,
	filter: PointFilter,
	{ range, after, limit }: NamePage,
): Promise<StoredResource[]> {
	const ofPoints = pointConditions(filter)
	const ofSpans = pointConditions(filter, attributesOfSpans)
	const seen = (table: string, time: string) => {
		const { has, textOf } = table === 'spans' ? originSql : mapOfResource
		const { sql } = table === 'spans' ? ofSpans : ofPoints
		return `SELECT service_name AS service, ${textOf("'service.namespace'")} AS namespace, ${textOf("'service.version'")} AS version,
			if(${has("'deployment.environment.name'")}, ${textOf("'deployment.environment.name'")}, ${textOf("'deployment.environment'")}) AS environment,
			'${table}' AS signal, count() AS items,
			min(${time}) AS first, max(${time}) AS last
		FROM ${table} WHERE workspace_id = {workspace:String} AND ${time} >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
			AND ${time} < fromUnixTimestamp64Milli({end:Int64}, 'UTC')${sql} GROUP BY ${who}`
	}
	return readStore(() =>
		store.query<StoredResource>(
			`SELECT service, namespace, version, environment, sumIf(items, signal = 'spans') AS spans,
				sumIf(items, signal = 'logs') AS log_records, sumIf(items, signal = 'metrics') AS data_points,
				toString(toUnixTimestamp64Milli(min(first))) AS first_ms, toString(toUnixTimestamp64Milli(max(last))) AS last_ms, ${byService.columns}
			FROM (${[seen('spans', 'started_at'), seen('logs', 'recorded_at'), seen('metrics', 'recorded_at')].join(' UNION ALL ')})
			WHERE 1 ${after ? byService.after : ''} GROUP BY ${who} ORDER BY ${byService.order} LIMIT {limit:UInt32}`,
			{
				...ofPoints.parameters,
				...ofSpans.parameters,
				...placeParameters(after),
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				limit,
			},
		),
	)
}

/** A list whose values can be counted for filtering. */
export interface FacetList {
	table: 'logs' | 'metrics'
	/** The fields that can be counted besides attributes: their SQL expression, and the filter on them. */
	fields: Readonly<Record<string, { sql: string; filter: string }>>
	/** The condition of each filter; its value is a parameter of the same name. */
	conditions: Readonly<Record<string, string>>
	/** SQL for whether a row is an error. */
	isError: string
}

type Operation = (typeof telemetryQueryOperations)['log_facets']
interface AskedFacets {
	start?: string
	end?: string
	fields?: string[]
	limit: number
	attribute?: string[]
	[filter: string]: unknown
}

interface StoredValue {
	at: number
	value: string
	count: string
	errors: string
	values: string
}

/**
 * The most frequent values of a list's fields and attributes, with counts. The filter on a field does not narrow its own values, so
 * that another one can be chosen. Without `fields`: the list's fields, and the attributes of its newest rows that have few distinct
 * values.
 */
export async function readFacets(
	{ telemetry, clock }: ReadDependencies,
	workspaceId: string,
	list: FacetList,
	{ start, end, fields: asked, limit, ...filter }: AskedFacets,
): Promise<OutputOf<Operation>> {
	const range = readTimeRange(
		{ ...(start !== undefined && { start }), ...(end !== undefined && { end }) },
		clock.nowMs(),
	)
	const fields = asked
		? [...new Set(asked)]
		: [...Object.keys(list.fields), ...(await usualAttributes(telemetry, workspaceId, list, range))]
	const rows = await findValues(telemetry, workspaceId, { list, range, fields, filter, limit })
	const byField = Map.groupBy(rows, ({ at }) => at)
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		facets: fields.map((field, at) => {
			const found = byField.get(at) ?? []
			return {
				field,
				total: Number(found[0]?.values ?? 0),
				values: found.map(({ value, count, errors }) => ({
					...{ value, label: null, count: Number(count), errors: Number(errors) },
				})),
			}
		}),
	}
}

const inRange = `workspace_id = {workspace:String}
	AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
const placeOf = (workspace: string, { startMs, endMs }: TimeRange) => ({
	...{ workspace, start: startMs, end: endMs },
})

/** An attribute with more values is an id or a text, which nobody chooses from a list. */
const maxValues = 30
const maxAttributes = 8
const newestRows = 10_000

async function usualAttributes(
	store: QueryStore,
	workspaceId: string,
	{ table }: FacetList,
	range: TimeRange,
) {
	const found = await readStore(() =>
		store.query<{ key: string }>(
			`SELECT pair.1 AS key FROM (
				SELECT arrayJoin(CAST(attributes, 'Array(Tuple(String, String))')) AS pair FROM (
					SELECT attributes FROM ${table} WHERE ${inRange} ORDER BY recorded_at DESC LIMIT ${newestRows}))
			GROUP BY key HAVING uniq(pair.2) <= ${maxValues} ORDER BY count() DESC, key LIMIT ${maxAttributes}`,
			placeOf(workspaceId, range),
		),
	)
	return found.map(({ key }) => key)
}

interface Wanted {
	list: FacetList
	range: TimeRange
	fields: readonly string[]
	filter: Pick<AskedFacets, 'attribute'> & Readonly<Record<string, unknown>>
	limit: number
}

/** Each field is counted under the conditions on the other fields, all in one query. */
function findValues(
	store: QueryStore,
	workspaceId: string,
	{ list, range, fields, filter, limit }: Wanted,
): Promise<StoredValue[]> {
	const { attribute = [], ...columns } = filter
	const attributes = eachCondition(attribute, { parameter: 'attribute', columns: new Map() })
	const conditions = [
		...Object.keys(columns).map((name) => ({
			sql: list.conditions[name] ?? '0',
			isOn: (field: string) => list.fields[field]?.filter === name,
		})),
		...attributes.map(({ sql }, at) => ({
			sql,
			isOn: (field: string) => !list.fields[field] && keyOfCondition(attribute[at] ?? '') === field,
		})),
	]
	const common = conditions.filter(({ isOn }) => !fields.some(isOn))
	const tuples = fields.map((field, at) => {
		const key = `{facet_${at}:String}`
		const value =
			list.fields[field]?.sql ?? `if(mapContains(attributes, ${key}), attributes[${key}], resource[${key}])`
		const others = conditions.filter((one) => !common.includes(one) && !one.isOn(field))
		const holds = ['1', ...others.map(({ sql }) => sql)].join(' AND ')
		return `(toUInt8(${at}), CAST(${value}, 'String'), toUInt8(${holds}), toUInt8(${list.isError}))`
	})
	return readStore(() =>
		store.query<StoredValue>(
			`SELECT at, value, count, errors, count() OVER (PARTITION BY at) AS values FROM (
				SELECT facet.1 AS at, facet.2 AS value, count() AS count, sum(facet.4) AS errors
				FROM (SELECT arrayJoin(arrayFilter(f -> f.3 AND f.2 != '', [${tuples.join(', ')}])) AS facet
					FROM ${list.table} WHERE ${inRange}${common.map(({ sql }) => ` AND ${sql}`).join('')})
				GROUP BY at, value)
			ORDER BY at, count DESC, value LIMIT {rows:UInt32} BY at`,
			{
				...Object.assign({}, ...attributes.map(({ parameters }) => parameters)),
				...Object.fromEntries(fields.map((field, at) => [`facet_${at}`, field])),
				...columns,
				...placeOf(workspaceId, range),
				rows: limit,
			},
		),
	)
}
