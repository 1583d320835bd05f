import { newDelivery, wakeDeliveries } from '../../accounts/events/index.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { traceHeaders } from '../../platform/trace/index.ts'
import { webhookOrNotFound } from './change-webhooks.ts'
import { type Change, record, type WebhookContext } from './context.ts'
import { type DeliveryDocument, presentDelivery } from './present-webhook.ts'
import { findDelivery, insertDelivery, type WebhookRow } from './repository.ts'

/** Queues an event for one webhook, whatever types that one asks for. */
export async function testWebhook(
	webhooks: WebhookContext,
	by: Change,
	id: string,
): Promise<DeliveryDocument> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const row = await webhookOrNotFound(tx, by.principal.workspaceId, id)
		requireEnabled(row)
		const event = {
			workspace_id: row.workspace_id,
			id: newId(nowMs),
			type: 'webhook.test',
			at: nowMs,
			data: JSON.stringify({ webhook_id: id }),
		}
		const delivery = newDelivery(id, event, traceHeaders().traceparent)
		await insertDelivery(tx, delivery)
		await record(tx, webhooks, by, 'test', row)
		await wakeDeliveries(tx, row.workspace_id, id, nowMs)
		return presentDelivery(delivery)
	})
}

/** The same bytes under the same `webhook-id`: a receiver that has it already can tell. */
export async function replayDelivery(
	webhooks: WebhookContext,
	by: Change,
	id: string,
	deliveryId: string,
): Promise<DeliveryDocument> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const row = await webhookOrNotFound(tx, by.principal.workspaceId, id)
		const before = await findDelivery(tx, row.workspace_id, id, deliveryId)
		if (!before) throw notFound('delivery')
		requireEnabled(row)
		const { event_id, type, payload } = before
		const event = { workspace_id: row.workspace_id, id: event_id, type, at: nowMs, data: '{}' }
		const delivery = { ...newDelivery(id, event, traceHeaders().traceparent), payload }
		await insertDelivery(tx, delivery)
		await record(tx, webhooks, by, 'replay', row, { event_id, type })
		await wakeDeliveries(tx, row.workspace_id, id, nowMs)
		return presentDelivery(delivery)
	})
}

function requireEnabled({ enabled }: WebhookRow): void {
	if (enabled === 0) throw new Problem('conflict', 'The webhook is turned off; turn it on first.')
}
