import { type Audit, actorOf, systemActor } from '../../accounts/audit/audit.ts'
import type { Member } from '../../accounts/identity/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/index.ts'
import type { Principal } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { WebhookRow } from './webhook-repository.ts'

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
	/** Where links in messages lead. */
	publicAddress(): string
	/** A member with the role that they have now, by id or by address; null: nobody of the workspace. */
	memberOf(workspaceId: string, who: { userId: string } | { email: string }): Member | null
	/** Decides about a call as the API does for the member; throws as it does. */
	decideApproval(
		by: Member,
		requestId: string,
		id: string,
		decision: { answer: 'approve' | 'deny'; reason: string },
	): Promise<{ name: string }>
}

type Bound = Pick<WebhookRow, 'workspace_id' | 'id' | 'url'>

/** What the whole address of a chat is sealed to. */
export function addressContext({ workspace_id, id, url }: Bound): SealContext {
	return { workspaceId: workspace_id, kind: 'webhook_address', origin: new URL(url).origin, id }
}

/** What the signing secret of a Slack app is sealed to. */
export function slackSecretContext({ workspace_id, id }: Bound): SealContext {
	return { workspaceId: workspace_id, kind: 'slack_signing_secret', origin: '', id }
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
