import type { ApprovalStatus } from '@signalbox/contract'
import type { Actor, Audit } from '../../accounts/audit/audit.ts'
import { appendEvent } from '../../accounts/events/events.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { findApproval, type NamedApproval } from './approval-repository.ts'
import { presentEvent } from './present-approval.ts'

/** What everything of this area works with. */
export interface ApprovalContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	sealer: Sealer
	clock: Clock
}

/** How long a call can be decided about. */
export const decidableMs = 60 * 60 * 1000
/** How long a decision waits for the call to be sent again. */
export const decisionMs = 15 * 60 * 1000
/** How long after it ran the same call is taken for a repetition, not for another one. */
export const repetitionMs = 10_000
/** Calls of one agent that may wait for people at the same time. */
export const pendingMax = 50
/** Arguments larger than this are not shown to approvers, so that they cannot be approved. */
export const argumentBytesMax = 64 * 1024

const eventOf: Partial<Record<ApprovalStatus, string>> = {
	pending: 'approval.requested',
	approved: 'approval.approved',
	denied: 'approval.denied',
	expired: 'approval.expired',
}

/** Notes in the transaction of a change what became of an approval: audit record, event, and who waits for it. */
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
