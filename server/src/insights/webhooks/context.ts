import { type Audit, actorOf, systemActor } from '../../accounts/audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import type { Principal } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { WebhookRow } from './repository.ts'

/** What everything of this area works with. */
export interface WebhookContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	sealer: Sealer
	clock: Clock
	/** Judges addresses when a webhook is registered and at each connection. */
	safeFetch: Pick<SafeFetch, 'assertUrl' | 'fetch'>
}

/** Who changes something, and in which request; null is the platform itself. */
export interface Change {
	principal: Principal
	requestId: string
}

/** Records a change of a webhook. Of its address only the origin: a path may be a secret of the receiver. */
export function record(
	tx: DatabaseTransaction,
	{ audit }: WebhookContext,
	by: Change | null,
	verb: string,
	row: WebhookRow,
	detail: Record<string, unknown> = {},
): Promise<void> {
	return audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: by ? actorOf(by.principal) : systemActor('Signalbox'),
		action: `webhooks.${verb}`,
		target: { kind: 'webhook', id: row.id, name: new URL(row.url).origin },
		detail,
		requestId: by?.requestId ?? null,
	})
}
