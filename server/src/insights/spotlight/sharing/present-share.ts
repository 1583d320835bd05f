import type { OutputOf, sharingOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { ShareRow } from './repository.ts'

/** A link as the API shows it: never its secret. */
export function presentShare(row: ShareRow): OutputOf<(typeof sharingOperations)['list']>['shares'][number] {
	return {
		id: row.id,
		session_id: row.session_id,
		messages: row.messages === 1,
		created_by: row.created_by,
		created_at: toIso(row.created_at),
		expires_at: toIso(row.expires_at),
	}
}
