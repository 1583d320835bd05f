import type { OutputOf, webhookOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { DeliveryRow, WebhookRow } from './repository.ts'

export type WebhookDocument = OutputOf<(typeof webhookOperations)['get']>
export type DeliveryDocument = OutputOf<(typeof webhookOperations)['test']>
export type DeliveryDetail = OutputOf<(typeof webhookOperations)['delivery']>

export function presentWebhook(row: WebhookRow, nowMs: number): WebhookDocument {
	const oldSecretEnds = row.previous_expires_at
	return {
		id: row.id,
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

export function presentDeliveryDetail(row: DeliveryRow): DeliveryDetail {
	return { ...presentDelivery(row), body: row.payload, response_body: row.response_body }
}

function timeOrNull(ms: number | null): string | null {
	return ms === null ? null : toIso(ms)
}
