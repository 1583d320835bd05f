import type { ChangeFeed } from '../../platform/changes.ts'
import type { BoundOperation } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import { Waiters } from '../../platform/waiters.ts'
import type { ApprovalContext } from './context.ts'
import { expireOverdue } from './expire.ts'
import { type ApprovalGate, createGate } from './gate.ts'
import { approvalRoutes } from './routes.ts'

export interface Approvals {
	operations: BoundOperation[]
	/** For the gateway. */
	gate: ApprovalGate
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
		waiting: () => waiters.size,
	}
}
