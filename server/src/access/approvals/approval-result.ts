import type { Approver } from '@signalbox/contract'
import { type Actor, systemActor } from '../../accounts/audit/audit.ts'
import { appendChange } from '../../platform/changes.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { type ApprovalContext, noteChange, repetitionMs } from './approval-context.ts'
import {
	type ApprovalRow,
	closeApproval,
	endApproval,
	listWaiting,
	moveApproval,
} from './approval-repository.ts'
import type { CallIdentity } from './call-key.ts'

/** A call that needs the approval of a person. */
export interface CallToApprove extends CallIdentity {
	principal: Principal
	credentialId: string
	approver: Approver
}

/** The state of a call's approval. */
export type ApprovalResult =
	/** It may be sent upstream now; this permission is exclusive. */
	| { kind: 'run'; approvalId: string }
	| { kind: 'pending'; approvalId: string; expiresAtMs: number }
	| { kind: 'denied'; approvalId: string; reason: string | null }
	/** The same call used the approval and ran a moment ago. */
	| { kind: 'used'; approvalId: string; againAtMs: number }
	| { kind: 'expired' | 'revoked'; approvalId: string }
	/** It cannot be requested: too many calls wait, or the arguments are too large to be shown. */
	| { kind: 'full' | 'too_large' }

/** The clocks of two processes do not differ by more. */
const skewMs = 60_000

/** What a row means for a call with its key; null if its time is over. An approval is consumed here. */
export async function approvalResultOf(
	approvals: ApprovalContext,
	row: ApprovalRow,
): Promise<ApprovalResult | null> {
	const nowMs = approvals.clock.nowMs()
	const approvalId = row.id
	if (row.status === 'pending')
		return row.expires_at > nowMs ? { kind: 'pending', approvalId, expiresAtMs: row.expires_at } : null
	if (row.status === 'expired' || row.status === 'revoked') return { kind: row.status, approvalId }
	if ((row.valid_until ?? 0) <= nowMs) return null
	// Denied or used in the future: the clock was set back since, and the call would be refused for as long.
	const lastMs = Math.max(row.decided_at ?? 0, row.used_at ?? 0)
	if (row.status !== 'approved' && lastMs > nowMs + skewMs) return null
	if (row.status === 'denied') return { kind: 'denied', approvalId, reason: row.reason }
	if (row.used_at !== null || !(await take(approvals, row, nowMs)))
		return { kind: 'used', approvalId, againAtMs: (row.used_at ?? nowMs) + repetitionMs }
	return { kind: 'run', approvalId }
}

/**
 * Consumes the single approved run with a compare-and-set, so that only one call in all processes gets it. The row keeps its key
 * for another moment, so that the same call, sent again because its answer was late, causes no new request.
 */
function take(approvals: ApprovalContext, row: ApprovalRow, nowMs: number): Promise<boolean> {
	const stands = row.for_minutes !== null
	const values = stands
		? { used_at: nowMs, open_key: null }
		: { used_at: nowMs, status: 'used', valid_until: nowMs + repetitionMs }
	return approvals.mutate(async (tx) => {
		const taken = await moveApproval(tx, row.workspace_id, row.id, 'approved', values)
		if (taken) await appendChange(tx, 'approval', row.id, approvals.clock)
		return taken
	})
}

/**
 * Approves, once each, the calls that waited when all calls of their tool were approved. They give up their key, so that the same
 * call, sent again, depends on the approval for the period. A call that the deciding key sent itself goes on waiting.
 */
export async function approveWaiting(
	tx: DatabaseTransaction,
	approvals: ApprovalContext,
	by: { actor: Actor; requestId: string | null; credentialId: string | null },
	standing: ApprovalRow,
): Promise<void> {
	const { workspace_id: workspaceId, reason, decided_at, valid_until } = standing
	const { decided_by_kind, decided_by_id, decided_by_name } = standing
	const decided = { reason, decided_at, decided_by_kind, decided_by_id, decided_by_name, valid_until }
	const values = { ...decided, status: 'approved', open_key: null }
	for (const { id, credential_id } of await listWaiting(tx, standing))
		if (credential_id !== by.credentialId && (await moveApproval(tx, workspaceId, id, 'pending', values)))
			await noteChange(tx, approvals, by, 'approve', { workspaceId, id })
}

/** Ends an approval whose time is over: an undecided or unused one expires, any other only releases its key. */
export async function expireOrClose(
	approvals: ApprovalContext,
	tx: DatabaseTransaction,
	{ workspace_id, id, status, used_at }: ApprovalRow,
): Promise<void> {
	if (status !== 'pending' && status !== 'approved') return closeApproval(tx, workspace_id, id)
	if (used_at !== null) return void (await endApproval(tx, workspace_id, id, 'used'))
	if (!(await moveApproval(tx, workspace_id, id, status, { status: 'expired', open_key: null }))) return
	const by = { actor: systemActor('Signalbox'), requestId: null }
	await noteChange(tx, approvals, by, 'expire', { workspaceId: workspace_id, id })
}
