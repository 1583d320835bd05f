import { auditOperations } from '@signalbox/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { createCursors } from '../../platform/cursor.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import { listRecords } from './audit-repository.ts'
import { presentRecord } from './present-record.ts'
import { readFilter } from './read-filter.ts'
import { verifyChain } from './verify-audit.ts'

export interface AuditRouteDependencies {
	store: ControlStore
	sealer: Sealer
	clock: Clock
}

export function auditRoutes({ store, sealer, clock }: AuditRouteDependencies): BoundOperation[] {
	const cursors = createCursors(sealer, 'audit_cursor')
	return bind(auditOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const before = query.cursor === undefined ? null : Number(cursors.open(workspaceId, query.cursor))
			const filter = readFilter(query, clock.nowMs())
			const rows = await listRecords(store.db, workspaceId, filter, before, query.limit + 1)
			const shown = rows.slice(0, query.limit)
			const last = rows.length > query.limit ? shown.at(-1) : undefined
			return {
				audit: shown.map(presentRecord),
				next_cursor: last ? cursors.seal(workspaceId, String(last.seq)) : null,
			}
		},
		verify: async ({ context }) => {
			const { records, head, bad } = await verifyChain(store, sealer, principalIn(context).workspaceId)
			return {
				intact: bad === null,
				records,
				head,
				bad: bad && { seq: bad.seq, id: bad.id, reason: bad.reason },
			}
		},
	})
}
