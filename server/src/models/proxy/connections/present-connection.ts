import type { Provider } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { ConnectionRow } from './repository.ts'

/** A connection as the API shows it, without its key. */
export function toProviderKey(row: ConnectionRow) {
	return {
		id: row.id,
		name: row.name,
		provider: row.provider as Provider,
		base_url: row.base_url,
		record_bodies: row.record_bodies === 1,
		inject_usage: row.inject_usage === 1,
		last4: row.last4,
		status: row.sealed_key === null ? ('secret_missing' as const) : ('active' as const),
		last_used_at: row.last_used_at === null ? null : toIso(row.last_used_at),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
