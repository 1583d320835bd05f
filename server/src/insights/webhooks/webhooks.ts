import { webhookOperations } from '@signalbox/contract'
import { recordChange } from '../../accounts/audit/audit.ts'
import { deliveryJob, newDelivery, wakeDeliveries } from '../../accounts/events/events.ts'
import { lockNumbering } from '../../platform/changes.ts'
import { secretContext } from '../../platform/crypto/webhook-secret.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { RunningJob } from '../../platform/jobs/job.ts'
import { createCursors, paginate } from '../../platform/paging.ts'
import { withJitter } from '../../platform/retry.ts'
import { traceHeaders } from '../../platform/trace/current-trace.ts'
import { type Attempt, attemptDelivery } from './attempt.ts'
import {
	changeWebhook,
	createWebhook,
	disableWebhook,
	removeWebhook,
	rotateSecret,
	webhookOrNotFound,
} from './change-webhooks.ts'
import {
	type DeliveryDocument,
	presentDelivery,
	presentDeliveryDetail,
	presentWebhook,
} from './present-webhook.ts'
import { slackRoute } from './slack.ts'
import { changeOf, type WebhookContext } from './webhook-context.ts'
import {
	type DeliveryRow,
	deleteOldDeliveries,
	findDelivery,
	findWebhook,
	insertDelivery,
	listAlertNotices,
	listDeliveries,
	listDue,
	listWebhooks,
	nextAttemptAt,
	nextDueAt,
	updatePending,
	updateWebhook,
	type WebhookRow,
} from './webhook-repository.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Delay after each failed attempt, before jitter is added. */
const waitsMs = [
	...[5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour],
	...[10 * hour, 14 * hour, 20 * hour, 24 * hour],
]
const jitter = 0.1
/** Concurrent deliveries of one webhook. */
const batch = 8
/** Concurrent webhooks per process: those that time out must not keep the others waiting. */
const concurrency = 64
const leaseMs = 20 * second
const givesUpAfterMs = 5 * day
const keptMs = 7 * day

/** Registers the job that delivers what is queued, and the one that deletes old deliveries. */
function handleDeliveries(webhooks: WebhookContext): void {
	const { jobs, store, clock } = webhooks
	jobs.handle(deliveryJob, (job) => deliverDue(webhooks, job), { concurrency, leaseMs })
	jobs.every('webhook-prune', hour, async ({ signal }) => {
		while (!signal.aborted && (await deleteOldDeliveries(store.db, clock.deletionMs() - keptMs)));
	})
}

/** One run for one webhook: sends what is due, stores the outcomes, and returns when to run again. */
async function deliverDue(webhooks: WebhookContext, job: RunningJob): Promise<void> {
	const { store, clock } = webhooks
	const workspaceId = job.workspaceId ?? ''
	const row = await findWebhook(store.db, workspaceId, job.key)
	if (row?.enabled !== 1) return
	const due = await listDue(store.db, workspaceId, row.id, clock.nowMs(), batch)
	const earlier = await earlierNotices(webhooks, row, due)
	const secrets = secretsOf(webhooks, row)
	const sent = await Promise.allSettled(
		due
			.filter(({ id }) => !earlier.has(id))
			.map((delivery) => attemptDelivery(webhooks, row, delivery, secrets, job.signal)),
	)
	const attempts = sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
	const reason = await job.commit(async (tx) => {
		for (const attempt of attempts) await noteAttempt(tx, workspaceId, attempt, clock.nowMs())
		for (const [id, first] of earlier) await waitFor(tx, workspaceId, id, first)
		const ended = await noteHealth(tx, webhooks, row, attempts)
		const next = await nextDueAt(tx, workspaceId, row.id)
		if (next !== null) await job.again(tx, next)
		return ended
	})
	if (reason !== null) await turnOff(webhooks, row, reason)
}

/**
 * In a transaction of its own, which begins with the lock of the event: whoever holds that may wait for the row of the job, and a commit of
 * the job holds it.
 */
async function turnOff(webhooks: WebhookContext, asked: WebhookRow, reason: string): Promise<void> {
	await webhooks.mutate(async (tx) => {
		await lockNumbering(tx)
		const row = await findWebhook(tx, asked.workspace_id, asked.id)
		if (row?.enabled === 1 && isSameAddress(row, asked)) await disableWebhook(tx, webhooks, row, reason)
	})
}

/** That of a chat is the sealed one. */
function isSameAddress(row: WebhookRow, { url, sealed_address }: WebhookRow): boolean {
	return row.url === url && row.sealed_address === sealed_address
}

/**
 * Due notices of alerts → the oldest notice of the same alert that waits too. A chat or pager shows what it got last: if an alert began
 * after it was resolved, PagerDuty would keep its incident for good.
 */
async function earlierNotices(
	{ store }: Pick<WebhookContext, 'store'>,
	row: WebhookRow,
	due: readonly DeliveryRow[],
): Promise<Map<string, string>> {
	const found = new Map<string, string>()
	if (row.format === 'standard' || !due.some(isAlert)) return found
	const firsts = new Map<string, string>()
	for (const delivery of await listAlertNotices(store.db, row.workspace_id, row.id)) {
		const alert = alertOf(delivery)
		const first = firsts.get(alert)
		if (first === undefined) firsts.set(alert, delivery.id)
		else if (due.some(({ id }) => id === delivery.id)) found.set(delivery.id, first)
	}
	return found
}

function isAlert({ type }: DeliveryRow): boolean {
	return type === 'alert.firing' || type === 'alert.resolved'
}

function alertOf({ payload }: Pick<DeliveryRow, 'payload'>): string {
	return (JSON.parse(payload) as { data: { alert?: { id: string } } }).data.alert?.id ?? ''
}

/** Postpones a delivery until an earlier one is attempted again; if that one has ended, it is due at once. */
async function waitFor(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	first: string,
): Promise<void> {
	const next_at = await nextAttemptAt(tx, workspaceId, first)
	if (next_at !== null) await updatePending(tx, workspaceId, id, { next_at })
}

/** The current secret, and the previous one while it is still valid. */
function secretsOf({ sealer, clock }: WebhookContext, row: WebhookRow): string[] {
	const { sealed_secret, sealed_previous_secret: previous, previous_expires_at: endsAt } = row
	const old = previous !== null && endsAt !== null && endsAt > clock.nowMs() ? [previous] : []
	return [sealed_secret, ...old].map((sealed) => sealer.open(sealed, secretContext(row)))
}

async function noteAttempt(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ delivery, status, body, error, askedMs, durationMs }: Attempt,
	nowMs: number,
): Promise<void> {
	const attempts = delivery.attempts + 1
	const waitMs = waitsMs[attempts - 1]
	const next_at =
		error === null || waitMs === undefined ? null : nowMs + Math.max(withJitter(waitMs, jitter), askedMs ?? 0)
	await updatePending(tx, workspaceId, delivery.id, {
		status: error === null ? 'delivered' : next_at === null ? 'failed' : 'pending',
		attempts,
		next_at,
		attempted_at: nowMs,
		response_status: status,
		response_body: body,
		duration_ms: durationMs,
		error,
		finished_at: next_at === null ? nowMs : null,
	})
}

/** Why the webhook is to be turned off: at once if the receiver is gone, and after five days of failures; null: it stays on. */
async function noteHealth(
	tx: DatabaseTransaction,
	webhooks: WebhookContext,
	asked: WebhookRow,
	attempts: readonly Attempt[],
): Promise<string | null> {
	const row = await findWebhook(tx, asked.workspace_id, asked.id)
	if (row?.enabled !== 1 || attempts.length === 0) return null
	// The outcome does not apply if the address was changed meanwhile.
	if (!isSameAddress(row, asked)) return null
	const nowMs = webhooks.clock.nowMs()
	if (attempts.some(({ status }) => status === 410)) return 'its receiver answered 410 Gone'
	const failing_since = attempts.some(({ error }) => error === null) ? null : (row.failing_since ?? nowMs)
	if (failing_since !== null && webhooks.clock.deletionMs() - failing_since >= givesUpAfterMs)
		return 'its receiver has failed for five days'
	if (failing_since !== row.failing_since)
		await updateWebhook(tx, row.workspace_id, row.id, { failing_since })
	return null
}

/** Opens the webhooks: addresses of the workspace that are notified of its events. `appendEvent` queues the deliveries. */
export function openWebhooks(webhooks: WebhookContext): { operations: BoundOperation[]; routes: Route[] } {
	handleDeliveries(webhooks)
	return { operations: webhookRoutes(webhooks), routes: [slackRoute(webhooks)] }
}

function webhookRoutes(webhooks: WebhookContext): BoundOperation[] {
	const { store } = webhooks
	const cursors = createCursors(webhooks.sealer, 'delivery_cursor')
	return bind(webhookOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listWebhooks(store.db, principalIn(context).workspaceId, query)
			return {
				webhooks: rows.map((row) => presentWebhook(webhooks, row)),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createWebhook(webhooks, context, body),
		get: async ({ params, context }) => {
			const row = await webhookOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentWebhook(webhooks, row)
		},
		update: ({ params, body, context }) => changeWebhook(webhooks, context, params.id, body),
		delete: async ({ params, context }) => void (await removeWebhook(webhooks, context, params.id)),
		rotateSecret: ({ params, context }) => rotateSecret(webhooks, context, params.id),
		test: ({ params, context }) => testWebhook(webhooks, context, params.id),
		deliveries: async ({ params, query, context }) => {
			const { workspaceId } = principalIn(context)
			await webhookOrNotFound(store.db, workspaceId, params.id)
			const { status, limit, cursor } = query
			const beforeId = cursor === undefined ? null : cursors.open(workspaceId, cursor)
			const page = { status, beforeId, limit: limit + 1 }
			const rows = await listDeliveries(store.db, workspaceId, params.id, page)
			const last = rows.length > limit ? rows[limit - 1] : undefined
			return {
				deliveries: rows.slice(0, limit).map(presentDelivery),
				next_cursor: last ? cursors.seal(workspaceId, last.id) : null,
			}
		},
		delivery: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const webhook = await findWebhook(store.db, workspaceId, params.id)
			const row = await findDelivery(store.db, workspaceId, params.id, params.deliveryId)
			if (!webhook || !row) throw notFound('delivery')
			return presentDeliveryDetail(webhooks, webhook, row)
		},
		replay: ({ params, context }) => replayDelivery(webhooks, context, params.id, params.deliveryId),
	})
}

/** Queues an event for one webhook, whatever types it subscribes to. */
async function testWebhook(
	webhooks: WebhookContext,
	request: RequestContext,
	id: string,
): Promise<DeliveryDocument> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const row = await webhookOrNotFound(tx, principalIn(request).workspaceId, id)
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
		await recordChange(tx, webhooks, request, changeOf('test', row))
		await wakeDeliveries(tx, row.workspace_id, id, nowMs)
		return presentDelivery(delivery)
	})
}

/** The same bytes under the same `webhook-id`, so that a receiver can recognise a duplicate. */
async function replayDelivery(
	webhooks: WebhookContext,
	request: RequestContext,
	id: string,
	deliveryId: string,
): Promise<DeliveryDocument> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const row = await webhookOrNotFound(tx, principalIn(request).workspaceId, id)
		const before = await findDelivery(tx, row.workspace_id, id, deliveryId)
		if (!before) throw notFound('delivery')
		requireEnabled(row)
		const { event_id, type, payload } = before
		const event = { workspace_id: row.workspace_id, id: event_id, type, at: nowMs, data: '{}' }
		const delivery = { ...newDelivery(id, event, traceHeaders().traceparent), payload }
		await insertDelivery(tx, delivery)
		await recordChange(tx, webhooks, request, changeOf('replay', row, { event_id, type }))
		await wakeDeliveries(tx, row.workspace_id, id, nowMs)
		return presentDelivery(delivery)
	})
}

function requireEnabled({ enabled }: WebhookRow): void {
	if (enabled === 0) throw new Problem('conflict', 'The webhook is turned off; turn it on first.')
}
