import { eventTypes } from '@signalbox/contract'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import { redactText } from '../../platform/log.ts'
import { queueDeliveries } from './delivery.ts'
import { insertEvent } from './repository.ts'

export interface NewEvent {
	workspaceId: string
	/** One of `eventTypes`; anything else is no event. */
	type: string
	data: Record<string, unknown>
}

/** Below the 20 kB that webhooks may have, with room for the envelope. */
const dataBytesMax = 16 * 1024

/**
 * Notes an event in the transaction of what it tells of, queues it for webhooks, and wakes the streams of all processes.
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
