import { type BodyOf, eventTypes, type webhookOperations } from '@signalbox/contract'
import { matches, refusalOf } from '../../accounts/events/index.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { newSecret, secretContext } from '../../platform/crypto/webhook-secret.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/index.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { type Change, record, type WebhookContext } from './context.ts'
import { presentWebhook, type WebhookDocument } from './present-webhook.ts'
import {
	countWebhooks,
	deleteWebhook,
	failWaiting,
	findWebhook,
	insertWebhook,
	updateWebhook,
	type WebhookRow,
} from './repository.ts'

type Created = BodyOf<(typeof webhookOperations)['create']>
type Updated = BodyOf<(typeof webhookOperations)['update']>

/** Each change asks all of them in its transaction. */
const mostWebhooks = 50
const oldSecretLivesMs = 24 * 60 * 60 * 1000
const readOnly = [
	'id',
	'disabled_reason',
	'failing_since',
	'old_secret_expires_at',
	'created_at',
	'updated_at',
]

/** A webhook of the workspace, or the 404 that also stands for malformed ids and other workspaces. */
export async function webhookOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<WebhookRow> {
	const row = await findWebhook(db, workspaceId, id)
	if (!row) throw notFound('webhook')
	return row
}

export async function createWebhook(
	webhooks: WebhookContext,
	by: Change,
	body: Created,
): Promise<WebhookDocument & { secret: string }> {
	const { safeFetch, sealer, clock } = webhooks
	const { workspaceId } = by.principal
	requireReadable(by, body.events)
	const nowMs = clock.nowMs()
	const secret = newSecret()
	const row: WebhookRow = {
		id: newId(nowMs),
		workspace_id: workspaceId,
		url: safeFetch.assertUrl(body.url).href,
		description: body.description ?? '',
		events: JSON.stringify(body.events),
		enabled: body.enabled === false ? 0 : 1,
		disabled_reason: null,
		sealed_secret: '',
		sealed_previous_secret: null,
		previous_expires_at: null,
		failing_since: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
	row.sealed_secret = sealer.seal(secret, secretContext(row))
	return webhooks.mutate(async (tx) => {
		if ((await countWebhooks(tx, workspaceId)) >= mostWebhooks)
			throw new Problem('conflict', `A workspace has at most ${mostWebhooks} webhooks.`)
		await insertWebhook(tx, row)
		await record(tx, webhooks, by, 'create', row, { events: body.events, enabled: row.enabled === 1 })
		return { ...presentWebhook(row, nowMs), secret }
	})
}

export async function changeWebhook(
	webhooks: WebhookContext,
	by: Change,
	id: string,
	body: Updated,
): Promise<WebhookDocument & { secret?: string }> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const before = await webhookOrNotFound(tx, by.principal.workspaceId, id)
		const current = presentWebhook(before, nowMs)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		requireReadable(by, body.events ?? current.events)
		const { values, secret } = valuesOf(webhooks, before, body, nowMs)
		const row = { ...before, ...values }
		await updateWebhook(tx, row.workspace_id, id, values)
		if (row.enabled === 0) await failWaiting(tx, row.workspace_id, id, 'The webhook was turned off.', nowMs)
		const { events, enabled } = presentWebhook(row, nowMs)
		await record(tx, webhooks, by, 'update', row, { events, enabled, new_secret: secret !== undefined })
		return { ...presentWebhook(row, nowMs), ...(secret !== undefined && { secret }) }
	})
}

/** A secret is for one origin: at another one, whoever had the address before could sign what the new one gets. */
function valuesOf(
	{ safeFetch, sealer }: WebhookContext,
	before: WebhookRow,
	body: Updated,
	nowMs: number,
): { values: Partial<WebhookRow>; secret?: string } {
	const url = body.url === undefined ? before.url : safeFetch.assertUrl(body.url).href
	const enabled = body.enabled === undefined ? before.enabled : Number(body.enabled)
	const begins = enabled === 1 && before.enabled === 0
	const values: Partial<WebhookRow> = {
		url,
		enabled,
		description: body.description ?? before.description,
		events: body.events ? JSON.stringify(body.events) : before.events,
		updated_at: nowMs,
		...(begins && { disabled_reason: null, failing_since: null }),
	}
	if (new URL(url).origin === new URL(before.url).origin) return { values }
	const secret = newSecret()
	const sealed_secret = sealer.seal(secret, secretContext({ ...before, url }))
	const fresh = {
		sealed_secret,
		sealed_previous_secret: null,
		previous_expires_at: null,
		failing_since: null,
	}
	return { values: { ...values, ...fresh }, secret }
}

export async function rotateSecret(
	webhooks: WebhookContext,
	by: Change,
	id: string,
): Promise<WebhookDocument & { secret: string }> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const before = await webhookOrNotFound(tx, by.principal.workspaceId, id)
		const secret = newSecret()
		const values = {
			sealed_secret: webhooks.sealer.seal(secret, secretContext(before)),
			sealed_previous_secret: before.sealed_secret,
			previous_expires_at: nowMs + oldSecretLivesMs,
			updated_at: nowMs,
		}
		await updateWebhook(tx, before.workspace_id, id, values)
		await record(tx, webhooks, by, 'rotate-secret', before)
		return { ...presentWebhook({ ...before, ...values }, nowMs), secret }
	})
}

export async function removeWebhook(webhooks: WebhookContext, by: Change, id: string): Promise<void> {
	await webhooks.mutate(async (tx) => {
		const row = await webhookOrNotFound(tx, by.principal.workspaceId, id)
		requireUnchanged(presentWebhook(row, webhooks.clock.nowMs()))
		await deleteWebhook(tx, row.workspace_id, id)
		await record(tx, webhooks, by, 'delete', row)
	})
}

/** The platform turns a webhook off, and says so. */
export async function disableWebhook(
	tx: DatabaseTransaction,
	webhooks: WebhookContext,
	row: WebhookRow,
	reason: string,
): Promise<void> {
	const nowMs = webhooks.clock.nowMs()
	const values = { enabled: 0, disabled_reason: reason, updated_at: nowMs }
	await updateWebhook(tx, row.workspace_id, row.id, values)
	await failWaiting(tx, row.workspace_id, row.id, `The webhook was turned off: ${reason}`, nowMs)
	await record(tx, webhooks, null, 'disable', row, { reason })
}

/** A webhook must not tell its maker what they could not read themselves. */
function requireReadable({ principal }: Change, patterns: readonly string[]): void {
	for (const [type, { live }] of Object.entries(eventTypes)) {
		if (live || !matches(patterns, type)) continue
		const refusal = refusalOf(principal, type)
		if (refusal) throw new Problem('forbidden', `For ${type}: ${refusal.message}`)
	}
}
