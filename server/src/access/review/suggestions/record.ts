import type { AccessSuggestion } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { principalIn, type RequestContext } from '../../../platform/http/index.ts'
import type { ReviewContext } from '../review-context.ts'

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
