import type { Provider, RouteStrategy } from '@signalbox/contract'
import type { ModelAccess } from '../../../access/agents/index.ts'
import type { KnowsModel } from '../../../ledger/index.ts'
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

/** Of their models the price table knows those that there are; what others serve under which name nobody knows. */
const listed: readonly Provider[] = ['openai', 'anthropic', 'gemini']

/**
 * What of an agent's model access opens nothing now: names that nothing has, and patterns that no known model matches.
 * `kindOf`: a connection's provider, `route`, or null where nothing has the name.
 */
export function modelAccessWarnings(
	access: ModelAccess,
	kindOf: (name: string) => Provider | 'route' | null,
	knows: KnowsModel,
): string[] {
	if (access.mode === 'all') return []
	if (access.connections.size === 0)
		return ['model_access: it names no connection, so the agent may call no model.']
	return [...access.connections].flatMap(([name, patterns]) => {
		const kind = kindOf(name)
		if (kind === null) return [`model_access: there is no connection or route ${name}.`]
		if (kind === 'route' || !listed.includes(kind)) return []
		const unknown = patterns.filter((pattern) => !knows(kind, pattern))
		if (unknown.length === 0) return []
		return [`model_access: no known model of the connection ${name} matches ${unknown.join(', ')}.`]
	})
}
