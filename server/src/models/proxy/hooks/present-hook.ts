import type { hookOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { HookRow } from './hook.ts'

export type HookDocument = OutputOf<(typeof hookOperations)['get']>

/** A hook as the API shows it: without its secret. */
export function presentHook(row: HookRow, nowMs: number): HookDocument {
	const { previous_expires_at: oldEndsAt } = row
	return {
		id: row.id,
		name: row.name,
		enabled: row.enabled === 1,
		mode: row.mode as HookDocument['mode'],
		action: row.action as HookDocument['action'],
		stages: JSON.parse(row.stages) as HookDocument['stages'],
		connections: JSON.parse(row.connections) as string[],
		models: JSON.parse(row.models) as string[],
		agents: JSON.parse(row.agents) as string[],
		pattern: row.pattern,
		label: row.label,
		url: row.url,
		timeout_ms: row.timeout_ms,
		fail_mode: row.fail_mode as HookDocument['fail_mode'],
		old_secret_expires_at: oldEndsAt !== null && oldEndsAt > nowMs ? toIso(oldEndsAt) : null,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
