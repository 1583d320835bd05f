import { toIso } from '../../platform/clock.ts'
import type { AuditRow } from './chain.ts'

/** A record as the API and the export show it. */
export function presentRecord(row: AuditRow) {
	return {
		id: row.id,
		at: toIso(row.at),
		actor: { kind: row.actor_kind as 'user', id: row.actor_id, name: row.actor_name },
		action: row.action,
		target:
			row.target_kind === null
				? null
				: { kind: row.target_kind, id: row.target_id ?? '', name: row.target_name ?? '' },
		detail: JSON.parse(row.detail) as Record<string, unknown>,
		request_id: row.request_id,
	}
}

/** Whether a record tells of a call that was refused, or ended after it had been sent. */
export function isRefusal({ action }: Pick<AuditRow, 'action'>): boolean {
	return action === 'denied' || action === 'cut'
}
