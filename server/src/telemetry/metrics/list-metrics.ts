import type { OutputOf, QueryOf, telemetryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import type { ReadDependencies } from '../reads/list-spans.ts'
import { findMetrics, type StoredMetric } from './repository.ts'

type Operation = (typeof telemetryOperations)['metrics']
type MetricView = OutputOf<Operation>['metrics'][number]

const temporalities = ['unspecified', 'delta', 'cumulative'] as const

export async function listMetrics(
	{ telemetry, clock }: Pick<ReadDependencies, 'telemetry' | 'clock'>,
	workspaceId: string,
	{ service, ...range }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const wanted = { range: readTimeRange(range as { start?: string; end?: string }, clock.nowMs()), service }
	const found = await findMetrics(telemetry, workspaceId, wanted)
	return { metrics: found.map(presentMetric) }
}

function presentMetric({ temporality, is_monotonic, points, last_ms, ...rest }: StoredMetric): MetricView {
	return {
		...rest,
		temporality: temporalities[temporality] ?? 'unspecified',
		is_monotonic: is_monotonic === 1,
		points: Number(points),
		last_at: toIso(Number(last_ms)),
	}
}
