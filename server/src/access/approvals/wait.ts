import type { Waiters } from '../../platform/waiters.ts'
import type { ApprovalContext } from './context.ts'
import { findApproval } from './repository.ts'
import { type AskedCall, type Standing, standingOf } from './standing.ts'

/** Waits for the decision about a call, which may be made in another process; `pending` when there is none in time. */
export async function wait(
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
