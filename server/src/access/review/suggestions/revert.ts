import type { AccessSuggestion } from '@signalbox/contract'
import { notFound, Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../../platform/http/index.ts'
import type { ReviewContext } from '../context.ts'
import type { AppliedStep } from './apply.ts'
import { presentApplied } from './list.ts'
import { recordSuggestion } from './record.ts'
import { findApplied, markReverted } from './repository.ts'

/** Puts the grants back as they were, to the byte; none of them when somebody has changed one since. */
export function revertSuggestion(
	review: ReviewContext,
	request: RequestContext,
	id: string,
): Promise<AccessSuggestion> {
	const { workspaceId } = principalIn(request)
	return review.mutate(async (tx) => {
		const row = await findApplied(tx, workspaceId, id)
		if (!row) throw notFound('applied access suggestion')
		if (row.reverted_at !== null) throw new Problem('conflict', 'The suggestion is reverted already.')
		for (const { before, after } of JSON.parse(row.grants) as AppliedStep[])
			await review.grants.rewrite(tx, request, { from: after, to: before, because: { suggestion: id } })
		const revertedAtMs = review.clock.nowMs()
		await markReverted(tx, workspaceId, id, revertedAtMs)
		const document = presentApplied({ ...row, reverted_at: revertedAtMs })
		await recordSuggestion(tx, review, request, 'access-review.revert', document)
		return document
	})
}
