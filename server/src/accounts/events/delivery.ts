import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import { enqueueJob } from '../../platform/jobs/index.ts'
import { matches } from './matches.ts'
import { type DeliveryRow, type EventRow, insertDeliveries, listSubscribers } from './repository.ts'

/** One job for each webhook that has something to deliver: a slow receiver holds up nobody else's. */
export const deliveryJob = 'webhook-deliver'

export type Occurrence = Omit<EventRow, 'seq'>

/** Queues an event for every webhook that wants it, in the transaction of the event. */
export async function queueDeliveries(tx: DatabaseTransaction, event: Occurrence): Promise<void> {
	const subscribers = await listSubscribers(tx, event.workspace_id)
	const wanting = subscribers.filter(({ events }) => matches(JSON.parse(events) as string[], event.type))
	if (wanting.length === 0) return
	await insertDeliveries(
		tx,
		wanting.map(({ id }) => newDelivery(id, event)),
	)
	for (const { id } of wanting) await wakeDeliveries(tx, event.workspace_id, id, event.at)
}

/** Has the job of a webhook run now. */
export function wakeDeliveries(
	tx: DatabaseTransaction,
	workspaceId: string,
	webhookId: string,
	nowMs: number,
): Promise<void> {
	return enqueueJob(tx, { kind: deliveryJob, key: webhookId, workspaceId }, nowMs)
}

/** A delivery that waits for its first attempt; the body is fixed here, so every attempt sends the same bytes. */
export function newDelivery(
	webhookId: string,
	event: Occurrence,
	traceparent: string | null = null,
): DeliveryRow {
	const timestamp = toIso(event.at)
	return {
		id: newId(event.at),
		workspace_id: event.workspace_id,
		webhook_id: webhookId,
		event_id: event.id,
		type: event.type,
		payload: `{"type":${JSON.stringify(event.type)},"timestamp":"${timestamp}","data":${event.data}}`,
		traceparent,
		status: 'pending',
		attempts: 0,
		next_at: event.at,
		attempted_at: null,
		response_status: null,
		response_body: null,
		duration_ms: null,
		error: null,
		created_at: event.at,
		finished_at: null,
	}
}
