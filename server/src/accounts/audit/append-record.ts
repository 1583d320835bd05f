import { currentChannel } from '../../platform/change-scope.ts'
import { lockNumbering } from '../../platform/changes.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import type { Principal } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { redactText } from '../../platform/log.ts'
import { appendEvent } from '../events/index.ts'
import { type AuditRow, anchorRecord, chainLink, readHead } from './anchors.ts'
import { insertRecord } from './audit-repository.ts'

/** Who made a change, as the audit log names it. */
export interface Actor {
	kind: Principal['kind'] | 'system'
	/** Null for the program itself. */
	id: string | null
	/** E-mail of a person, name of a key. */
	name: string
}

export interface AuditEntry {
	workspaceId: string
	actor: Actor
	/** `area.verb`, as in `agents.create`. */
	action: string
	target?: { kind: string; id: string; name: string } | null
	/** What changed. Never a secret. */
	detail?: Record<string, unknown>
	requestId?: string | null
}

/** Appends a record to its workspace's chain and moves the chain's anchor on. */
export async function appendRecord(
	tx: DatabaseTransaction,
	entry: AuditEntry,
	sealer: Sealer,
	clock: Clock,
): Promise<void> {
	await lockNumbering(tx)
	const head = await readHead(tx, sealer, entry.workspaceId)
	const row = toRow(entry, head.seq + 1, clock.nowMs())
	const record = { ...row, chain: chainLink(sealer, row, head.chain) }
	await insertRecord(tx, record)
	await anchorRecord(tx, sealer, record, head)
	await appendEvent(
		tx,
		{ workspaceId: entry.workspaceId, type: entry.action, data: eventData(record) },
		clock,
	)
}

/** A change is an event because it has a record: nobody has to think of it. */
function eventData(row: AuditRow): Record<string, unknown> {
	const { actor, target, detail, request_id, id } = presentRecord(row)
	return { actor, target, detail, request_id, audit_id: id }
}

function toRow(entry: AuditEntry, seq: number, nowMs: number): Omit<AuditRow, 'chain'> {
	return {
		workspace_id: entry.workspaceId,
		seq,
		id: newId(nowMs),
		at: nowMs,
		actor_kind: entry.actor.kind,
		actor_id: entry.actor.id,
		actor_name: entry.actor.name,
		action: entry.action,
		target_kind: entry.target?.kind ?? null,
		target_id: entry.target?.id ?? null,
		target_name: entry.target?.name ?? null,
		detail: JSON.stringify(detailOf(entry), redactValue),
		request_id: entry.requestId ?? null,
	}
}

/** What came by another way than the platform API says so. */
function detailOf({ detail = {} }: AuditEntry): Record<string, unknown> {
	const via = currentChannel()
	return via ? { ...detail, via } : detail
}

function redactValue(_name: string, value: unknown): unknown {
	return typeof value === 'string' ? redactText(value) : value
}

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
