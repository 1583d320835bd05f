import type { OutputOf, WebhookFormat, webhookOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { bodyFor } from './attempt.ts'
import type { WebhookContext } from './webhook-context.ts'
import type { DeliveryRow, WebhookRow } from './webhook-repository.ts'

export type WebhookDocument = OutputOf<(typeof webhookOperations)['get']>
export type DeliveryDocument = OutputOf<(typeof webhookOperations)['test']>
export type DeliveryDetail = OutputOf<(typeof webhookOperations)['delivery']>

export function presentWebhook(
	{ clock, memberOf }: Pick<WebhookContext, 'clock' | 'memberOf'>,
	row: WebhookRow,
): WebhookDocument {
	const oldSecretEnds = row.previous_expires_at
	const nowMs = clock.nowMs()
	const members = JSON.parse(row.slack_members) as { slack_user_id: string; user_id: string }[]
	return {
		id: row.id,
		format: row.format as WebhookFormat,
		answers_approvals: row.sealed_slack_secret !== null,
		// People who have left the workspace cannot answer, and are not shown.
		slack_members: members.flatMap(({ slack_user_id, user_id }) => {
			const member = memberOf(row.workspace_id, { userId: user_id })
			return member ? [{ slack_user_id, email: member.email }] : []
		}),
		url: row.url,
		description: row.description,
		events: JSON.parse(row.events) as string[],
		enabled: row.enabled === 1,
		disabled_reason: row.disabled_reason,
		failing_since: timeOrNull(row.failing_since),
		old_secret_expires_at: oldSecretEnds !== null && oldSecretEnds > nowMs ? toIso(oldSecretEnds) : null,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

export function presentDelivery(row: DeliveryRow): DeliveryDocument {
	return {
		id: row.id,
		event_id: row.event_id,
		type: row.type,
		status: row.status as DeliveryDocument['status'],
		attempts: row.attempts,
		created_at: toIso(row.created_at),
		attempted_at: timeOrNull(row.attempted_at),
		next_attempt_at: timeOrNull(row.next_at),
		response_status: row.response_status,
		duration_ms: row.duration_ms,
		error: row.error,
	}
}

/** Without the routing key, which is in the body for a pager. */
export function presentDeliveryDetail(
	webhooks: Pick<WebhookContext, 'publicAddress'>,
	webhook: WebhookRow,
	row: DeliveryRow,
): DeliveryDetail {
	const body = bodyFor(webhooks, webhook, row, '[redacted]')
	return { ...presentDelivery(row), body, response_body: row.response_body }
}

function timeOrNull(ms: number | null): string | null {
	return ms === null ? null : toIso(ms)
}
