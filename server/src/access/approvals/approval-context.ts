import type { ApprovalStatus } from '@signalbox/contract'
import type { Actor, Audit } from '../../accounts/audit/audit.ts'
import { appendEvent } from '../../accounts/events/events.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/database.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { findApproval, type NamedApproval } from './approval-repository.ts'
import { presentEvent } from './present-approval.ts'

/** What everything in this area needs. */
export interface ApprovalContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	sealer: Sealer
	clock: Clock
}

/** How long a call can be approved or denied. */
export const decidableMs = 60 * 60 * 1000
/** How long a decision is kept for the call to be retried. */
export const decisionMs = 15 * 60 * 1000
/** For how long after its run the same call counts as a retry and not as a new call. */
export const repetitionMs = 10_000
/** Limit of calls of one agent that wait for approval at the same time. */
export const maxPending = 50
/** Larger arguments are not shown to approvers, so such calls cannot be approved. */
export const maxArgumentBytes = 64 * 1024

const eventOf: Partial<Record<ApprovalStatus, string>> = {
	pending: 'approval.requested',
	approved: 'approval.approved',
	denied: 'approval.denied',
	expired: 'approval.expired',
}

/** Records a change of an approval in its transaction: audit record, event and change feed, for those who wait. */
export async function noteChange(
	tx: DatabaseTransaction,
	{ audit, clock }: ApprovalContext,
	by: { actor: Actor; requestId: string | null },
	verb: 'request' | 'approve' | 'deny' | 'revoke' | 'expire',
	{ workspaceId, id }: { workspaceId: string; id: string },
): Promise<NamedApproval> {
	const row = (await findApproval(tx, workspaceId, id)) as NamedApproval
	const data = presentEvent(row)
	await audit.record(tx, {
		workspaceId,
		actor: by.actor,
		action: `approvals.${verb}`,
		target: { kind: 'approval', id, name: `${row.agent_name} → ${row.server_name} / ${row.tool}` },
		detail: { ...data, for_minutes: row.for_minutes },
		requestId: by.requestId,
	})
	const type = eventOf[row.status as ApprovalStatus]
	if (type) await appendEvent(tx, { workspaceId, type, data }, clock)
	await appendChange(tx, 'approval', id, clock)
	return row
}
