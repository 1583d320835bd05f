import { actorOf, systemActor } from '../../accounts/audit/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { Waiters } from '../../platform/waiters.ts'
import { ask } from './ask.ts'
import type { ApprovalContext } from './context.ts'
import { type Decision, decide } from './decide.ts'
import type { AskedCall, Standing } from './standing.ts'
import { wait } from './wait.ts'

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

export function createGate(approvals: ApprovalContext, waiters: Waiters): ApprovalGate {
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
