import { approvalOperations } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/index.ts'
import { notFound } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import type { ApprovalContext } from './approval-context.ts'
import { countApprovals, findApproval, listApprovals } from './approval-repository.ts'
import { type Decider, type Decision, decide, revoke } from './decide.ts'
import { type ApprovalDocument, presentApproval } from './present-approval.ts'

export function approvalRoutes(approvals: ApprovalContext): BoundOperation[] {
	const { store, sealer } = approvals
	const which = (context: RequestContext, id: string) => ({
		workspaceId: principalIn(context).workspaceId,
		id,
	})
	const decideBy = async (
		context: RequestContext,
		id: string,
		decision: Decision,
	): Promise<ApprovalDocument> =>
		presentApproval(await decide(approvals, deciderIn(context), which(context, id), decision), sealer)
	return bind(approvalOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const total = await countApprovals(store.db, workspaceId, query)
			const rows = await listApprovals(store.db, workspaceId, query, query, query)
			return {
				approvals: rows.map((row) => presentApproval(row, sealer)),
				pagination: paginate(query, total),
			}
		},
		get: async ({ params, context }) => {
			const row = await findApproval(store.db, principalIn(context).workspaceId, params.id)
			if (!row) throw notFound('approval')
			return presentApproval(row, sealer)
		},
		approve: ({ params, body, context }) =>
			decideBy(context, params.id, { verdict: 'approve', forMinutes: body.for_minutes, reason: body.reason }),
		deny: ({ params, body, context }) =>
			decideBy(context, params.id, { verdict: 'deny', reason: body.reason }),
		revoke: async ({ params, context }) =>
			presentApproval(await revoke(approvals, deciderIn(context), which(context, params.id)), sealer),
	})
}

function deciderIn(context: RequestContext): Decider {
	const principal = principalIn(context)
	const credentialId = principal.kind === 'user' ? null : principal.keyId
	return { actor: actorOf(principal), requestId: context.requestId, credentialId }
}
