import type { OutputOf, QueryOf, spotlightOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { needsSpans, readStore } from '../../telemetry/index.ts'
import { fieldConditions, readGroupBy } from './call-filter.ts'
import { everySpan } from './call-source.ts'
import { needsOf, onSingleCalls, readCalls } from './call-sums-repository.ts'
import type { QueryStore } from './counted-calls.ts'

type Operation = (typeof spotlightOperations)['facets']
interface StoredFacetValue {
	at: string
	value: string
	label: string
	count: string
	errors: string
	values: string
}

/** Columns whose ids have names. */
const labelsOf: Readonly<Record<string, string>> = {
	agent: 'agent_name',
	agent_uuid: 'agent_name',
	server: 'spans.server_name',
}

/** The most frequent values of fields. Each field is counted under the conditions on the other ones. */
export async function readFacets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ fields: asked, of, limit, start: _start, end: _end, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const fields = [...new Set(asked)]
	const groupBy = readGroupBy(fields)
	const conditions = fieldConditions(filter)
	const common = conditions.filter(({ field }) => !fields.includes(field))
	const ofFields = fields.map((field, at) => {
		const others = conditions.filter((one) => one.field !== field && !common.includes(one))
		const label = labelsOf[field] ?? "''"
		const holds = ['1', ...others.map(({ sql }) => sql)].join(' AND ')
		return {
			names: [groupBy.by[`group_${at}`] ?? '', label, holds],
			sql: `(toUInt8(${at}), CAST(${groupBy.by[`group_${at}`]}, 'String'), CAST(${label}, 'String'), toUInt8(${holds}))`,
		}
	})
	const needs = needsOf(filter)
	const calls =
		of === 'spans'
			? { ...everySpan(workspaceId, range), ...onSingleCalls }
			: await readCalls(store, workspaceId, range, {
					...needs,
					spans: needs.spans || fields.some(needsSpans),
					sessions: needs.sessions,
					names: [...needs.names, ...ofFields.flatMap(({ names }) => names)],
				})
	const rows = await readStore(() =>
		store.query<StoredFacetValue>(
			`SELECT at, value, label, count, errors, count() OVER (PARTITION BY at) AS values FROM (
				SELECT toString(facet.1) AS at, facet.2 AS value, argMax(facet.3, started_at) AS label, ${calls.count} AS count, ${calls.errors} AS errors
				FROM (SELECT *, arrayJoin(arrayFilter(f -> f.4 AND f.2 != '', [${ofFields.map(({ sql }) => sql).join(', ')}])) AS facet
					${calls.from} WHERE 1${common.map(({ sql }) => ` AND ${sql}`).join('')}) AS spans
				GROUP BY at, value)
			ORDER BY toUInt8(at), count DESC, value LIMIT {rows:UInt32} BY at`,
			{
				...Object.assign({}, ...conditions.map(({ parameters }) => parameters)),
				...{ ...calls.parameters, ...groupBy.parameters, rows: limit },
			},
		),
	)
	const byField = Map.groupBy(rows, ({ at }) => Number(at))
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		facets: fields.map((field, at) => {
			const found = byField.get(at) ?? []
			return {
				field,
				total: Number(found[0]?.values ?? 0),
				values: found.map(({ value, label, count, errors }) => ({
					...{ value, label: label || null, count: Number(count), errors: Number(errors) },
				})),
			}
		}),
	}
}
