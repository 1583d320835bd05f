import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { orNull } from '../present-span.ts'
import type { ReadDependencies } from './list-spans.ts'
import { readNamePage } from './name-place.ts'
import { findResources, type StoredResource } from './resource-repository.ts'

type Operation = (typeof telemetryQueryOperations)['resources']

/** Who sent telemetry in a range, by service. */
export async function listResources(
	dependencies: ReadDependencies,
	workspaceId: string,
	{ service, attribute, ...page }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const filter = { ...(service !== undefined && { service }), ...(attribute && { attribute }) }
	const list = { workspaceId, kind: 'resource_cursor' }
	const { rows, nextCursor } = await readNamePage(dependencies, list, page, (wanted) =>
		findResources(dependencies.telemetry, workspaceId, filter, wanted),
	)
	return { resources: rows.map(present), next_cursor: nextCursor }
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
