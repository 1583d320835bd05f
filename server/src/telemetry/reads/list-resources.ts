import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { orNull } from '../present-span.ts'
import type { ReadDependencies } from './list-spans.ts'
import { findResources, type StoredResource } from './resource-repository.ts'

type Operation = (typeof telemetryQueryOperations)['resources']

/** Who sent telemetry in a range, the latest first. */
export async function listResources(
	{ telemetry, clock }: Pick<ReadDependencies, 'telemetry' | 'clock'>,
	workspaceId: string,
	query: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const range = readTimeRange(query as { start?: string; end?: string }, clock.nowMs())
	return { resources: (await findResources(telemetry, workspaceId, range)).map(present) }
}

function present(found: StoredResource): OutputOf<Operation>['resources'][number] {
	return {
		service_name: orNull(found.service),
		service_namespace: orNull(found.namespace),
		service_version: orNull(found.version),
		environment: orNull(found.environment),
		spans: Number(found.spans),
		log_records: Number(found.log_records),
		data_points: Number(found.data_points),
		first_seen_at: toIso(Number(found.first_ms)),
		last_seen_at: toIso(Number(found.last_ms)),
	}
}
