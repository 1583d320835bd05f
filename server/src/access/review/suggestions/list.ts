import type { AccessSuggestion, accessReviewOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { paginate } from '../../../platform/paging.ts'
import type { ReviewContext } from '../review-context.ts'
import { suggest } from './suggest.ts'
import { type AppliedRow, listApplied } from './suggestion-repository.ts'

type List = (typeof accessReviewOperations)['suggestions']

export async function listSuggestions(
	review: ReviewContext,
	workspaceId: string,
	query: QueryOf<List>,
): Promise<OutputOf<List>> {
	const all = await (query.state === 'open'
		? listOpen(review, workspaceId, query.days)
		: listPast(review, workspaceId, query.state === 'reverted'))
	const first = (query.page - 1) * query.limit
	return {
		suggestions: all.slice(first, first + query.limit),
		pagination: paginate(query, all.length),
	}
}

/** One that was reverted is suggested again as long as its reasons last, and says so. */
async function listOpen(
	review: ReviewContext,
	workspaceId: string,
	days: number,
): Promise<AccessSuggestion[]> {
	const reverted = new Map(
		(await listApplied(review.store.db, workspaceId, true)).map((row) => [row.id, row]),
	)
	return (await suggest(review, workspaceId, days)).map(({ document }) => {
		const atMs = reverted.get(document.id)?.reverted_at
		return { ...document, reverted_at: atMs ? toIso(atMs) : null }
	})
}

async function listPast(
	{ store }: ReviewContext,
	workspaceId: string,
	reverted: boolean,
): Promise<AccessSuggestion[]> {
	return (await listApplied(store.db, workspaceId, reverted)).map(presentApplied)
}

/** A suggestion that was applied, as it was then. */
export function presentApplied(row: AppliedRow): AccessSuggestion {
	return {
		...(JSON.parse(row.document) as AccessSuggestion),
		state: row.reverted_at === null ? 'applied' : 'reverted',
		applied_at: toIso(row.applied_at),
		reverted_at: row.reverted_at === null ? null : toIso(row.reverted_at),
	}
}
