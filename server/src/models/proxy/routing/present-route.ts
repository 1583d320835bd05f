import type { RouteStrategy } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { ModelRouteRow, RouteTarget } from './model-route.ts'

/** A route as the API shows it; `connections`: the names that its workspace has. */
export function presentModelRoute(row: ModelRouteRow, connections: ReadonlySet<string>) {
	const targets = JSON.parse(row.targets) as RouteTarget[]
	const missing = new Set(
		targets.map(({ connection }) => connection).filter((name) => !connections.has(name)),
	)
	return {
		id: row.id,
		name: row.name,
		strategy: row.strategy as RouteStrategy,
		targets,
		retries: row.retries,
		first_token_timeout_ms: row.first_token_timeout_ms,
		idle_timeout_ms: row.idle_timeout_ms,
		total_timeout_ms: row.total_timeout_ms,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		warnings: [...missing].map((name) => `There is no connection ${name}: its targets are passed over.`),
	}
}
