import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlSchema } from '../../platform/database/index.ts'

export type AuditRow = ControlSchema['audit_log']

/** The link of a record: an HMAC over all its fields and the link before it ('' for the first), so none can change unseen. */
export function chainLink(sealer: Sealer, row: Omit<AuditRow, 'chain'>, previous: string): string {
	return sealer.mac(
		'audit',
		JSON.stringify([
			previous,
			row.workspace_id,
			row.seq,
			row.id,
			row.at,
			[row.actor_kind, row.actor_id, row.actor_name],
			row.action,
			[row.target_kind, row.target_id, row.target_name],
			row.detail,
			row.request_id,
		]),
	)
}
