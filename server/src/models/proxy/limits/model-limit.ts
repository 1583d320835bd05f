import type { ModelLimitScope } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { ControlSchema } from '../../../platform/database/index.ts'

export type ModelLimitRow = ControlSchema['model_limits']

/** A limit as the API shows it. */
export function presentModelLimit(row: ModelLimitRow) {
	return {
		id: row.id,
		name: row.name,
		scope: row.scope as ModelLimitScope,
		scope_id: row.scope_id,
		requests_per_minute: row.requests_per_minute,
		tokens_per_minute: row.tokens_per_minute,
		concurrency: row.concurrency,
		enabled: row.enabled === 1,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
