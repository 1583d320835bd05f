import { eventTypes } from '@signalbox/contract'
import { appendChange } from '../../platform/changes.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import { enqueueJob } from '../../platform/jobs/open-jobs.ts'
import { redactText } from '../../platform/log.ts'
import {
	type DeliveryRow,
	type EventRow,
	insertDeliveries,
	insertEvent,
	listSubscribers,
} from './event-repository.ts'

/** One job for each webhook that has something to deliver: a slow receiver holds up nobody else's. */
export const deliveryJob = 'webhook-deliver'

type Occurrence = Omit<EventRow, 'seq'>

/** Queues an event for every webhook that wants it, in the transaction of the event. */
async function queueDeliveries(tx: DatabaseTransaction, event: Occurrence): Promise<void> {
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

interface NewEvent {
	workspaceId: string
	/** One of `eventTypes`; anything else is no event. */
	type: string
	data: Record<string, unknown>
}

/** Below the 20 kB that webhooks may have, with room for the envelope. */
const dataBytesMax = 16 * 1024

/**
 * Notes an event in the transaction of what it reports, queues it for webhooks, and wakes the streams of all processes.
 * Records of the audit log come here by themselves.
 */
export async function appendEvent(tx: DatabaseTransaction, event: NewEvent, clock: Clock): Promise<void> {
	if (!Object.hasOwn(eventTypes, event.type)) return
	const at = clock.nowMs()
	const row = {
		workspace_id: event.workspaceId,
		id: newId(at),
		type: event.type,
		at,
		data: dataText(event.data),
	}
	// It also holds the lock that the numbering of events needs.
	await appendChange(tx, 'event', event.workspaceId, clock)
	if (await insertEvent(tx, row)) await queueDeliveries(tx, row)
}

/** Without secrets, and without the detail of a change where that is too large. */
function dataText(data: Record<string, unknown>): string {
	const text = JSON.stringify(data, redactValue)
	if (Buffer.byteLength(text) <= dataBytesMax) return text
	return JSON.stringify({ ...data, detail: { truncated: true } }, redactValue)
}

function redactValue(_name: string, value: unknown): unknown {
	return typeof value === 'string' ? redactText(value) : value
}

/** Whether one of the patterns (`*`, `area.*`, or a type) stands for a type. */
export function matches(patterns: readonly string[], type: string): boolean {
	return patterns.some(
		(pattern) =>
			pattern === '*' ||
			pattern === type ||
			(pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
	)
}
