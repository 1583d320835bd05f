import { approvalOperations } from '@signalbox/contract'
import { actorOf, systemActor } from '../../accounts/audit/index.ts'
import type { Member } from '../../accounts/identity/index.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import { Problem } from '../../platform/errors.ts'
import { authorize, type BoundOperation } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import { Waiters } from '../../platform/waiters.ts'
import type { ApprovalContext } from './approval-context.ts'
import { findApproval } from './approval-repository.ts'
import { approvalRoutes } from './approval-routes.ts'
import { ask } from './ask.ts'
import { type Decision, decide } from './decide.ts'
import { expireOverdue } from './expire.ts'
import { type AskedCall, type Standing, standingOf } from './standing.ts'

export interface Approvals {
	operations: BoundOperation[]
	/** For the gateway. */
	gate: ApprovalGate
	/** Decides as a member whose credential is not here, as one who answers from a chat: by the role that they have now. */
	decideAs(by: Member, requestId: string, id: string, decision: Decision): Promise<{ name: string }>
	/** Calls of this process that wait now. */
	waiting(): number
}

export interface ApprovalDependencies extends ApprovalContext {
	feed: ChangeFeed
	jobs: Pick<Jobs, 'every'>
}

const expireEveryMs = 15_000

/** Calls that need the approval of a person: asked for by the gateway, decided about in the API. */
export function openApprovals({ feed, jobs, ...approvals }: ApprovalDependencies): Approvals {
	const waiters = new Waiters('approval')
	feed.add(waiters)
	jobs.every('approvals-expire', expireEveryMs, () => expireOverdue(approvals))
	return {
		operations: approvalRoutes(approvals),
		gate: createGate(approvals, waiters),
		decideAs: (...of) => decideAs(approvals, ...of),
		waiting: () => waiters.size,
	}
}

async function decideAs(
	approvals: ApprovalContext,
	by: Member,
	requestId: string,
	id: string,
	decision: Decision,
): Promise<{ name: string }> {
	const principal = { kind: 'user' as const, ...by, operator: false, sessionId: '' }
	const refusal = authorize(approvalOperations[decision.verdict].access, principal)
	if (refusal) throw refusal
	const decider = { actor: actorOf(principal), requestId, credentialId: null }
	const row = await decide(approvals, decider, { workspaceId: by.workspaceId, id }, decision)
	return { name: `${row.agent_name} → ${row.tool} on ${row.server_name}` }
}

/** What stands between a call that asks and its server. */
export interface ApprovalGate {
	/** The decision about a call, or a new question to the approvers. */
	ask(call: AskedCall): Promise<Standing>
	/** Waits for the decision; resolves with `pending` when the time is over or the signal ends. */
	wait(call: AskedCall, approvalId: string, withinMs: number, signal: AbortSignal): Promise<Standing>
	/** The person who uses the agent has answered. Only where the grant takes that: see `approver`. */
	answer(call: AskedCall, approvalId: string, decision: Decision): Promise<void>
	/** The grants of the agent ask no more about the call. */
	release(call: AskedCall, approvalId: string): Promise<void>
}

function createGate(approvals: ApprovalContext, waiters: Waiters): ApprovalGate {
	return {
		ask: (call) => ask(approvals, call),
		wait: (call, id, withinMs, signal) => wait(approvals, waiters, call, id, withinMs, signal),
		answer: (call, id, decision) => answer(approvals, call, id, decision),
		release: (call, id) => release(approvals, call, id),
	}
}

/** The person's name is not known to us: the record names the credential, and that its user said so. */
async function answer(
	approvals: ApprovalContext,
	call: AskedCall,
	id: string,
	decision: Decision,
): Promise<void> {
	if (call.approver !== 'caller')
		throw new Error('Only approvers of the workspace may decide about this call.')
	const { kind, id: keyId, name } = actorOf(call.principal)
	const actor = { kind, id: keyId, name: `the user of ${name}` }
	const by = { actor, requestId: null, credentialId: null }
	await decide(approvals, by, { workspaceId: call.workspaceId, id }, decision)
}

/** Somebody may have decided a moment before, which then counts. */
async function release(approvals: ApprovalContext, { workspaceId }: AskedCall, id: string): Promise<void> {
	const by = { actor: systemActor('Signalbox'), requestId: null, credentialId: null }
	const decision = { verdict: 'approve', reason: 'the grant asks for no approval any more' } as const
	await decide(approvals, by, { workspaceId, id }, decision).catch((error: unknown) => {
		if (!(error instanceof Problem && error.code === 'approval_decided')) throw error
	})
}

/** Waits for the decision about a call, which may be made in another process; `pending` when there is none in time. */
async function wait(
	approvals: ApprovalContext,
	waiters: Waiters,
	call: AskedCall,
	approvalId: string,
	withinMs: number,
	signal: AbortSignal,
): Promise<Standing> {
	const { store, clock } = approvals
	const untilMs = clock.nowMs() + withinMs
	const waiter = waiters.add(approvalId)
	try {
		for (;;) {
			const row = await findApproval(store.db, call.workspaceId, approvalId)
			if (!row) return { kind: 'revoked', approvalId }
			if (signal.aborted) return { kind: 'pending', approvalId, expiresAtMs: row.expires_at }
			const standing = (await standingOf(approvals, row)) ?? ({ kind: 'expired', approvalId } as const)
			const leftMs = Math.min(untilMs, row.expires_at) - clock.nowMs()
			if (standing.kind !== 'pending' || leftMs <= 0) return standing
			await waiter.next(leftMs, signal)
		}
	} finally {
		waiter.end()
	}
}
