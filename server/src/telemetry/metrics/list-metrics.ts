import type { OutputOf, QueryOf, telemetryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { ReadDependencies } from '../reads/cursor.ts'
import { readNamePage } from '../reads/name-place.ts'
import type { FacetList } from '../reads/value-repository.ts'
import { findMetrics, type StoredMetric } from './metric-repository.ts'

/** The fields by which data points are filtered, with counts. */
export const metricFacets: FacetList = {
	table: 'metrics',
	fields: { service: { sql: 'service_name', filter: 'service' } },
	conditions: { service: 'service_name = {service:String}' },
	isError: '0',
}

type Operation = (typeof telemetryOperations)['metrics']
type MetricView = OutputOf<Operation>['metrics'][number]

const temporalities = ['unspecified', 'delta', 'cumulative'] as const

export async function listMetrics(
	dependencies: ReadDependencies,
	workspaceId: string,
	{ service, attribute, ...page }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const filter = { ...(service !== undefined && { service }), ...(attribute && { attribute }) }
	const list = { workspaceId, kind: 'metric_cursor' }
	const { rows, nextCursor } = await readNamePage(dependencies, list, page, (wanted) =>
		findMetrics(dependencies.telemetry, workspaceId, filter, wanted),
	)
	return { metrics: rows.map(presentMetric), next_cursor: nextCursor }
}

function presentMetric(metric: StoredMetric): MetricView {
	const { name, kind, unit, description, temporality, is_monotonic, points, last_ms } = metric
	return {
		...{ name, kind, unit, description },
		temporality: temporalities[temporality] ?? 'unspecified',
		is_monotonic: is_monotonic === 1,
		points: Number(points),
		last_at: toIso(Number(last_ms)),
	}
}
