import { type AccessSuggestion, accessReviewOperations } from '@signalbox/contract'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import type { ReviewContext } from './review-context.ts'
import { simulate } from './simulate/simulate.ts'
import {
	type AppliedStep,
	applySuggestion,
	listSuggestions,
	presentApplied,
	recordSuggestion,
} from './suggestions/suggest.ts'
import { findApplied, markReverted } from './suggestions/suggestion.ts'

/** What recorded calls say about grants: simulations of a change, and suggestions that can be applied. */
export function openAccessReview(review: ReviewContext): { operations: BoundOperation[] } {
	return {
		operations: bind(accessReviewOperations, {
			simulate: ({ body, context }) => simulate(review, principalIn(context).workspaceId, body),
			suggestions: ({ query, context }) => listSuggestions(review, principalIn(context).workspaceId, query),
			apply: ({ params, context }) => applySuggestion(review, context, params.id),
			revert: ({ params, context }) => revertSuggestion(review, context, params.id),
		}),
	}
}

/** Restores the grants exactly as they were; none of them if one has been changed since. */
function revertSuggestion(
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
