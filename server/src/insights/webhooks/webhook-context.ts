import type { Audit } from '../../accounts/audit/audit.ts'
import type { Member } from '../../accounts/identity/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { WebhookRow } from './webhook-repository.ts'

/** Shared dependencies of this area. */
export interface WebhookContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	jobs: Jobs
	sealer: Sealer
	clock: Clock
	/** Checks addresses when a webhook is registered and at each connection. */
	safeFetch: Pick<SafeFetch, 'assertUrl' | 'fetch'>
	/** Base address of links in messages. */
	publicAddress(): string
	/** A member with their current role, by id or by e-mail address; null if there is none in the workspace. */
	memberOf(workspaceId: string, who: { userId: string } | { email: string }): Member | null
	/** Decides about a call like the API does for the member; throws the same errors. */
	decideApproval(
		by: Member,
		requestId: string,
		id: string,
		decision: { answer: 'approve' | 'deny'; reason: string },
	): Promise<{ name: string }>
}

type Bound = Pick<WebhookRow, 'workspace_id' | 'id' | 'url'>

/** The seal context of a chat's complete address. */
export function addressContext({ workspace_id, id, url }: Bound): SealContext {
	return { workspaceId: workspace_id, kind: 'webhook_address', origin: new URL(url).origin, id }
}

/** The seal context of a Slack app's signing secret. */
export function slackSecretContext({ workspace_id, id }: Bound): SealContext {
	return { workspaceId: workspace_id, kind: 'slack_signing_secret', origin: '', id }
}

/** A change of a webhook, as it is recorded: with only the origin of its address, because a path may contain a secret of the receiver. */
export function changeOf(verb: string, { id, url }: WebhookRow, detail: Record<string, unknown> = {}) {
	return { action: `webhooks.${verb}`, target: { kind: 'webhook', id, name: new URL(url).origin }, detail }
}
