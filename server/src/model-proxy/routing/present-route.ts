import type { RouteStrategy } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { ModelRouteRow, RouteTarget } from './model-route.ts'

/** A route as the API shows it. */
export function presentModelRoute(row: ModelRouteRow) {
	return {
		id: row.id,
		name: row.name,
		strategy: row.strategy as RouteStrategy,
		targets: JSON.parse(row.targets) as RouteTarget[],
		retries: row.retries,
		first_token_timeout_ms: row.first_token_timeout_ms,
		idle_timeout_ms: row.idle_timeout_ms,
		total_timeout_ms: row.total_timeout_ms,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
