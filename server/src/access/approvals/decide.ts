import { type Actor, systemActor } from '../../accounts/audit/index.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type ApprovalContext, decisionMs, noteChange } from './approval-context.ts'
import {
	type ApprovalRow,
	closeApproval,
	deleteRequestedBefore,
	endApproval,
	findApproval,
	listOverdue,
	moveApproval,
	type NamedApproval,
} from './approval-repository.ts'

/** Who decides, in which request, by which credential (null: a person). */
export interface Decider {
	actor: Actor
	requestId: string | null
	credentialId: string | null
}

export interface Decision {
	answer: 'approve' | 'deny'
	/** Approves all calls of the tool by the agent, for so long. */
	forMinutes?: number | undefined
	reason?: string | undefined
}

interface Which {
	workspaceId: string
	id: string
}

/** Decides about a call that waits. Throws `approval_decided` when somebody was quicker or its time is over. */
export function decide(
	approvals: ApprovalContext,
	by: Decider,
	which: Which,
	decision: Decision,
): Promise<NamedApproval> {
	return approvals.mutate(async (tx) => {
		const row = await approvalOrNotFound(tx, which)
		const nowMs = approvals.clock.nowMs()
		if (decision.answer === 'approve') requireAnother(row, by)
		if (row.status !== 'pending' || row.expires_at <= nowMs) throw decided(row)
		const values = valuesOf(decision, by, nowMs)
		if (!(await moveApproval(tx, which.workspaceId, which.id, 'pending', values))) throw decided(row)
		return noteChange(tx, approvals, by, decision.answer, which)
	})
}

/** Takes an approval back that no call has used, or that stands for a time. */
export function revoke(approvals: ApprovalContext, by: Decider, which: Which): Promise<NamedApproval> {
	return approvals.mutate(async (tx) => {
		const row = await approvalOrNotFound(tx, which)
		if (!(await endApproval(tx, which.workspaceId, which.id, 'revoked'))) throw decided(row)
		return noteChange(tx, approvals, by, 'revoke', which)
	})
}

async function approvalOrNotFound(
	tx: DatabaseTransaction,
	{ workspaceId, id }: Which,
): Promise<NamedApproval> {
	const row = await findApproval(tx, workspaceId, id)
	if (!row) throw notFound('approval')
	return row
}

/** Else a program with one key could approve what it asked for. */
function requireAnother(row: NamedApproval, { credentialId }: Decider): void {
	if (credentialId !== null && credentialId === row.credential_id)
		throw new Problem('forbidden', 'The key that sent the call cannot approve it.')
}

function valuesOf({ answer, forMinutes, reason }: Decision, { actor }: Decider, nowMs: number) {
	return {
		status: answer === 'approve' ? 'approved' : 'denied',
		reason: reason ?? null,
		decided_at: nowMs,
		decided_by_kind: actor.kind,
		decided_by_id: actor.id,
		decided_by_name: actor.name,
		for_minutes: forMinutes ?? null,
		valid_until: nowMs + (forMinutes === undefined ? decisionMs : forMinutes * 60_000),
	}
}

function decided({ status }: NamedApproval): Problem {
	const text = status === 'pending' ? 'Its time is over' : `It is ${status}`
	return new Problem('approval_decided', `${text}; nothing can be decided about it any more.`)
}

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
