import type { AccessSuggestion } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../../platform/http/index.ts'
import type { GrantRow } from '../../grants/index.ts'
import type { ReviewContext } from '../review-context.ts'
import { presentApplied, suggest } from './suggest.ts'
import { type GrantStep, parseSuggestionId, type Suggestion } from './suggestion.ts'
import { type AppliedRow, findApplied, putApplied } from './suggestion-repository.ts'

/** A grant before and after a suggestion was applied; `after` is null where it was taken away. */
export interface AppliedStep {
	before: GrantRow
	after: GrantRow | null
}

/** Makes the change of a suggestion, if the grants and the recorded calls still say the same. */
export async function applySuggestion(
	review: ReviewContext,
	request: RequestContext,
	id: string,
): Promise<AccessSuggestion> {
	const { workspaceId } = principalIn(request)
	const { document, steps } = await suggestionOrProblem(review, workspaceId, id)
	const nowMs = review.clock.nowMs()
	const grants = steps.map((step) => toApplied(step, nowMs))
	const row: AppliedRow = {
		workspace_id: workspaceId,
		id,
		document: JSON.stringify(document),
		grants: JSON.stringify(grants),
		applied_at: nowMs,
		reverted_at: null,
	}
	return review.mutate(async (tx) => {
		for (const { before, after } of grants) await rewrite(tx, review, request, id, { before, after })
		await putApplied(tx, row)
		await recordSuggestion(tx, review, request, 'access-review.apply', document)
		return presentApplied(row)
	})
}

async function suggestionOrProblem(
	review: ReviewContext,
	workspaceId: string,
	id: string,
): Promise<Suggestion> {
	const parsed = parseSuggestionId(id)
	if (!parsed) throw notFound('access suggestion')
	const found = (await suggest(review, workspaceId, parsed.days)).find(({ document }) => document.id === id)
	if (found?.document.applicable) return found
	if (found)
		throw new Problem('derived_grant', 'The access comes from toolsets: change those, or the groups.')
	const applied = await findApplied(review.store.db, workspaceId, id)
	if (applied?.reverted_at === null)
		throw new Problem('suggestion_outdated', 'The suggestion is applied already.')
	if (applied || (await isThere(review, workspaceId, parsed.target))) throw new Problem('suggestion_outdated')
	throw notFound('access suggestion')
}

/** Whether the workspace has what the id of a suggestion names. */
async function isThere({ grants, agents }: ReviewContext, workspaceId: string, id: string): Promise<boolean> {
	if (agents.get(id)?.workspaceId === workspaceId) return true
	const { manual, toolsets } = await grants.held(workspaceId)
	return [...manual, ...toolsets].some((each) => each.id === id)
}

function toApplied({ before, after }: GrantStep, nowMs: number): AppliedStep {
	return { before, after: after && { ...before, ...after, updated_at: nowMs } }
}

/** A grant that changed between the reading and the transaction answers as one that changed before. */
async function rewrite(
	tx: DatabaseTransaction,
	{ grants }: ReviewContext,
	request: RequestContext,
	id: string,
	{ before, after }: AppliedStep,
): Promise<void> {
	try {
		await grants.rewrite(tx, request, { from: before, to: after, because: { suggestion: id } })
	} catch (error) {
		if (!(error instanceof Problem) || error.code !== 'grant_changed') throw error
		throw new Problem('suggestion_outdated', error.message, { cause: error })
	}
}

export function recordSuggestion(
	tx: DatabaseTransaction,
	{ audit }: ReviewContext,
	request: RequestContext,
	action: 'access-review.apply' | 'access-review.revert',
	{ id, kind, changes, agent, server }: AccessSuggestion,
): Promise<void> {
	const principal = principalIn(request)
	const name = [agent?.name, server?.name].filter((part) => part !== undefined).join(' → ')
	return audit.record(tx, {
		workspaceId: principal.workspaceId,
		actor: actorOf(principal),
		action,
		target: { kind: 'access_suggestion', id, name },
		detail: { kind, changes },
		requestId: request.requestId,
	})
}
