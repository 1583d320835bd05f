import type { Database, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type WebhookRow = ControlSchema['webhooks']
export type DeliveryRow = ControlSchema['webhook_deliveries']

export const {
	find: findWebhook,
	list: listWebhooks,
	count: countWebhooks,
	insert: insertWebhook,
	update: updateWebhook,
	remove: deleteWebhook,
} = ownedRows('webhooks')

/** For Slack, which knows the id of a webhook but no workspace. */
export function findWebhookById(db: Queryable, id: string): Promise<WebhookRow | undefined> {
	return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Number of rows deleted per statement, so that other statements can run in between. */
const chunk = 5000

export async function insertDelivery(tx: DatabaseTransaction, row: DeliveryRow): Promise<void> {
	await tx.insertInto('webhook_deliveries').values(row).execute()
}

export async function findDelivery(
	db: Queryable,
	workspaceId: string,
	webhookId: string,
	id: string,
): Promise<DeliveryRow | undefined> {
	return db
		.selectFrom('webhook_deliveries')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('webhook_id', '=', webhookId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** Deliveries before `beforeId` (null: from the newest), newest first; ids grow with time. */
export function listDeliveries(
	db: Queryable,
	workspaceId: string,
	webhookId: string,
	{ status, beforeId, limit }: { status: string | undefined; beforeId: string | null; limit: number },
): Promise<DeliveryRow[]> {
	return db
		.selectFrom('webhook_deliveries')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('webhook_id', '=', webhookId)
		.$if(status !== undefined, (query) => query.where('status', '=', status as string))
		.$if(beforeId !== null, (query) => query.where('id', '<', beforeId as string))
		.orderBy('id', 'desc')
		.limit(limit)
		.execute()
}

/** By how much the clocks of several programs may differ. */
const agreementMs = 60_000

/** Deliveries that are due, longest overdue first. One whose last step lies ahead was scheduled before the clock was set back. */
export function listDue(
	db: Queryable,
	workspaceId: string,
	webhookId: string,
	nowMs: number,
	limit: number,
): Promise<DeliveryRow[]> {
	return db
		.selectFrom('webhook_deliveries')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('webhook_id', '=', webhookId)
		.where('next_at', 'is not', null)
		.where((eb) =>
			eb.or([
				eb('next_at', '<=', nowMs),
				eb(eb.fn.coalesce('attempted_at', 'created_at'), '>', nowMs + agreementMs),
			]),
		)
		.orderBy('next_at')
		.orderBy('id')
		.limit(limit)
		.execute()
}

const maxNotices = 1000

/** The waiting notices that alerts began or were resolved, oldest first; ids grow with time. */
export function listAlertNotices(
	db: Queryable,
	workspaceId: string,
	webhookId: string,
): Promise<Pick<DeliveryRow, 'id' | 'payload'>[]> {
	return db
		.selectFrom('webhook_deliveries')
		.select(['id', 'payload'])
		.where('workspace_id', '=', workspaceId)
		.where('webhook_id', '=', webhookId)
		.where('next_at', 'is not', null)
		.where('type', 'in', ['alert.firing', 'alert.resolved'])
		.orderBy('id')
		.limit(maxNotices)
		.execute()
}

/** When a delivery is attempted next, or null if it has ended. */
export async function nextAttemptAt(db: Queryable, workspaceId: string, id: string): Promise<number | null> {
	const found = db
		.selectFrom('webhook_deliveries')
		.select('next_at')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
	return (await found.executeTakeFirst())?.next_at ?? null
}

/** When the next delivery of a webhook is due, or null if none is pending. */
export async function nextDueAt(
	db: Queryable,
	workspaceId: string,
	webhookId: string,
): Promise<number | null> {
	const first = db
		.selectFrom('webhook_deliveries')
		.select('next_at')
		.where('workspace_id', '=', workspaceId)
		.where('webhook_id', '=', webhookId)
		.where('next_at', 'is not', null)
		.orderBy('next_at')
		.limit(1)
	return (await first.executeTakeFirst())?.next_at ?? null
}

/** A delivery that has ended meanwhile, for example because its webhook was turned off, is not updated. */
export async function updatePending(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Partial<DeliveryRow>,
): Promise<void> {
	await tx
		.updateTable('webhook_deliveries')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('status', '=', 'pending')
		.execute()
}

/** Ends all pending deliveries of a webhook. */
export async function failWaiting(
	tx: DatabaseTransaction,
	workspaceId: string,
	webhookId: string,
	error: string,
	nowMs: number,
): Promise<void> {
	await tx
		.updateTable('webhook_deliveries')
		.set({ status: 'failed', next_at: null, error, finished_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('webhook_id', '=', webhookId)
		.where('status', '=', 'pending')
		.execute()
}

/**
 * For the background job, which covers all workspaces: deletes deliveries that ended before a time; returns whether there may be more.
 */
export async function deleteOldDeliveries(db: Database, beforeMs: number): Promise<boolean> {
	const old = db
		.selectFrom('webhook_deliveries')
		.select('id')
		.where('finished_at', '<', beforeMs)
		.limit(chunk)
	const { numDeletedRows } = await db
		.deleteFrom('webhook_deliveries')
		.where('id', 'in', old)
		.executeTakeFirst()
	return Number(numDeletedRows) === chunk
}
