import { auditOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { ControlStore } from '../platform/database/index.ts'
import { Problem } from '../platform/errors.ts'
import { type BoundOperation, bind, principalIn } from '../platform/http/index.ts'
import type { AuditRow } from './chain.ts'
import { listRecords } from './repository.ts'

export function auditRoutes(store: ControlStore, sealer: Sealer): BoundOperation[] {
	return bind(auditOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const before = query.cursor === undefined ? null : openCursor(sealer, workspaceId, query.cursor)
			const rows = await listRecords(store.db, workspaceId, before, query.limit + 1)
			const shown = rows.slice(0, query.limit)
			const last = rows.length > query.limit ? shown.at(-1) : undefined
			return {
				audit: shown.map(toRecord),
				next_cursor: last ? sealCursor(sealer, workspaceId, last.seq) : null,
			}
		},
	})
}

const cursorContext = (workspaceId: string) => ({ workspaceId, kind: 'audit_cursor', origin: '', id: '' })

function sealCursor(sealer: Sealer, workspaceId: string, seq: number): string {
	return sealer.seal(String(seq), cursorContext(workspaceId))
}

function openCursor(sealer: Sealer, workspaceId: string, cursor: string): number {
	try {
		return Number(sealer.open(cursor, cursorContext(workspaceId)))
	} catch {
		const detail = 'is not a cursor that this list gave'
		throw new Problem('invalid_request', `cursor: ${detail}.`, {
			errors: [{ pointer: '/cursor', code: 'cursor', detail }],
		})
	}
}

function toRecord(row: AuditRow) {
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
