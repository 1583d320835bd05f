import type { Audit } from '../../accounts/audit/index.ts'
import { actorOf } from '../../accounts/audit/index.ts'
import type { Identity } from '../../accounts/identity/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import { principalIn, type RequestContext } from '../../platform/http/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { ModelAccess } from './model-access.ts'

/** What every verb of agents works with. */
export interface AgentContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	identity: Pick<Identity, 'createCredential' | 'listKeys'>
	clock: Clock
	/** Our own origin as clients reach it, or null: what a request came to. */
	publicUrl: string | null
	/** What of a model access opens nothing now, such as connections that do not exist. */
	modelWarnings(workspaceId: string, access: ModelAccess): string[]
	/** Brings the grants that agents have by toolsets in line with their groups. */
	deriveGrants(tx: DatabaseTransaction, workspaceId: string, agentIds: readonly string[]): Promise<void>
}

/** Records a change of an agent by the caller of the request. */
export function recordChange(
	tx: DatabaseTransaction,
	{ audit }: AgentContext,
	request: RequestContext,
	action: string,
	target: { id: string; name: string },
	detail: Record<string, unknown> = {},
): Promise<void> {
	const principal = principalIn(request)
	return audit.record(tx, {
		workspaceId: principal.workspaceId,
		actor: actorOf(principal),
		action,
		target: { kind: 'agent', ...target },
		detail,
		requestId: request.requestId,
	})
}
