import { accessReviewOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import type { ReviewContext } from './context.ts'
import { simulate } from './simulate/simulate.ts'
import { applySuggestion } from './suggestions/apply.ts'
import { listSuggestions } from './suggestions/list.ts'
import { revertSuggestion } from './suggestions/revert.ts'

/** Questions about grants that recorded calls answer. */
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
