import { accessReviewOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../platform/http/index.ts'
import type { ReviewContext } from './context.ts'
import { simulate } from './simulate/simulate.ts'

/** Questions about grants that recorded calls answer. */
export function openAccessReview(review: ReviewContext): { operations: BoundOperation[] } {
	return {
		operations: bind(accessReviewOperations, {
			simulate: ({ body, context }) => simulate(review, principalIn(context).workspaceId, body),
		}),
	}
}
