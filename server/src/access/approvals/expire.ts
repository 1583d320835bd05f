import { systemActor } from '../../accounts/audit/index.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { type ApprovalContext, noteChange } from './approval-context.ts'
import {
	type ApprovalRow,
	closeApproval,
	deleteRequestedBefore,
	endApproval,
	listOverdue,
	moveApproval,
} from './approval-repository.ts'

const keptMs = 30 * 24 * 60 * 60 * 1000
const batch = 100

/** Ends what nobody decided or used in time, and forgets what was decided a month ago. */
export async function expireOverdue(approvals: ApprovalContext): Promise<void> {
	const { store, clock, mutate } = approvals
	for (const row of await listOverdue(store.db, clock.deletionMs(), batch))
		await mutate((tx) => expireOrClose(approvals, tx, row))
	await deleteRequestedBefore(store.db, clock.deletionMs() - keptMs)
}

/** Ends an approval whose time is over: what nobody decided or used has expired, the rest only gives up its key. */
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
