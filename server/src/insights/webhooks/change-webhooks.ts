import { type BodyOf, eventTypes, type webhookOperations } from '@signalbox/contract'
import { recordChange, systemActor } from '../../accounts/audit/audit.ts'
import { matches, refusalOf } from '../../accounts/events/events.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { lockNumbering } from '../../platform/changes.ts'
import { newSecret, secretContext } from '../../platform/crypto/webhook-secret.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { requireRoom } from '../../platform/database/owned-rows.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { refuseBadPort } from '../../platform/safe-fetch.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { presentWebhook, type WebhookDocument } from './present-webhook.ts'
import { addressContext, changeOf, slackSecretContext, type WebhookContext } from './webhook-context.ts'
import {
	countWebhooks,
	deleteWebhook,
	failWaiting,
	findWebhook,
	insertWebhook,
	updateWebhook,
	type WebhookRow,
} from './webhook-repository.ts'

type Created = BodyOf<(typeof webhookOperations)['create']>
type Updated = BodyOf<(typeof webhookOperations)['update']>

/** Limited because each change checks all of them in its transaction. */
const maxWebhooks = 50
const oldSecretLivesMs = 24 * 60 * 60 * 1000
const readOnly = [
	'id',
	'format',
	'answers_approvals',
	'disabled_reason',
	'failing_since',
	'old_secret_expires_at',
	'created_at',
	'updated_at',
]

/** A webhook of the workspace. A malformed id or one of another workspace is the same 404 as an unknown id. */
export async function webhookOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<WebhookRow> {
	const row = await findWebhook(db, workspaceId, id)
	if (!row) throw notFound('webhook')
	return row
}

export async function createWebhook(
	webhooks: WebhookContext,
	request: RequestContext,
	body: Created,
): Promise<WebhookDocument & { secret?: string }> {
	const { workspaceId } = principalIn(request)
	requireReadable(request, body.events)
	const nowMs = webhooks.clock.nowMs()
	const format = body.format ?? 'standard'
	requireFitting(format, body)
	const empty: WebhookRow = {
		id: newId(nowMs),
		workspace_id: workspaceId,
		url: '',
		format,
		sealed_address: null,
		sealed_slack_secret: null,
		slack_members: '[]',
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
	const url = body.url ?? (format === 'pagerduty' ? pagerDutyUrl : undefined)
	if (url === undefined) throw missing('url')
	const placed = { ...empty, ...addressValues(webhooks, empty, url) }
	if (format === 'pagerduty' && body.routing_key === undefined) throw missing('routing_key')
	const secret = body.routing_key ?? newSecret()
	const row = {
		...placed,
		sealed_secret: webhooks.sealer.seal(secret, secretContext(placed)),
		...slackValues(webhooks, placed, body),
	}
	return webhooks.mutate(async (tx) => {
		await requireRoom(tx, workspaceId, { most: maxWebhooks, what: 'webhooks', count: countWebhooks })
		await insertWebhook(tx, row)
		await recordChange(
			tx,
			webhooks,
			request,
			changeOf('create', row, { format, events: body.events, enabled: row.enabled === 1 }),
		)
		return { ...presentWebhook(webhooks, row), ...(format === 'standard' && { secret }) }
	})
}

const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue'
const withSecretAddress = new Set(['slack', 'teams', 'discord'])

/** The address of a chat is itself a secret: it is sealed, and only its origin is shown. */
function addressValues(
	{ safeFetch, sealer }: WebhookContext,
	row: WebhookRow,
	given: string,
): Pick<WebhookRow, 'url' | 'sealed_address'> {
	const { href, origin } = refuseBadPort(safeFetch.assertUrl(given))
	if (!withSecretAddress.has(row.format)) return { url: href, sealed_address: null }
	const url = `${origin}/`
	return { url, sealed_address: sealer.seal(href, addressContext({ ...row, url })) }
}

type SlackGiven = Pick<Updated, 'slack_signing_secret' | 'slack_members'>

function slackValues(
	{ sealer, memberOf }: WebhookContext,
	row: WebhookRow,
	{ slack_signing_secret: secret, slack_members: members }: SlackGiven,
): Partial<WebhookRow> {
	const linked = members?.map(({ slack_user_id, email }, at) => {
		const member = memberOf(row.workspace_id, { email })
		if (!member) throw wrong(`slack_members/${at}/email`, `${email} is no member of this workspace`)
		return { slack_user_id, user_id: member.userId }
	})
	const ids = linked?.map(({ slack_user_id }) => slack_user_id) ?? []
	if (new Set(ids).size < ids.length) throw wrong('slack_members', 'names a Slack user twice')
	return {
		...(linked && { slack_members: JSON.stringify(linked) }),
		...(secret !== undefined && {
			sealed_slack_secret: secret && sealer.seal(secret, slackSecretContext(row)),
		}),
	}
}

/** Refuses settings of one product for the others. */
function requireFitting(format: string, body: SlackGiven & Pick<Updated, 'routing_key'>): void {
	if (body.routing_key !== undefined && format !== 'pagerduty')
		throw wrong('routing_key', 'belongs to the format `pagerduty`')
	if (format === 'slack') return
	if (body.slack_signing_secret) throw wrong('slack_signing_secret', 'belongs to the format `slack`')
	if (body.slack_members?.length) throw wrong('slack_members', 'belongs to the format `slack`')
}

function missing(field: string): Problem {
	return wrong(field, 'is needed')
}

function wrong(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'webhook', detail }],
	})
}

export async function changeWebhook(
	webhooks: WebhookContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<WebhookDocument & { secret?: string }> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const before = await webhookOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentWebhook(webhooks, before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['failing_since', 'updated_at'])
		requireReadable(request, body.events ?? current.events)
		const { values, secret } = valuesOf(webhooks, before, body, nowMs)
		const row = { ...before, ...values }
		await updateWebhook(tx, row.workspace_id, id, values)
		if (row.enabled === 0) await failWaiting(tx, row.workspace_id, id, 'The webhook was turned off.', nowMs)
		const { events, enabled } = presentWebhook(webhooks, row)
		await recordChange(
			tx,
			webhooks,
			request,
			changeOf('update', row, { events, enabled, new_secret: secret !== undefined }),
		)
		return { ...presentWebhook(webhooks, row), ...(secret !== undefined && { secret }) }
	})
}

/** A secret is for one origin. With another one, whoever received at the previous address could forge signatures for the new one. */
function valuesOf(
	webhooks: WebhookContext,
	before: WebhookRow,
	body: Updated,
	nowMs: number,
): { values: Partial<WebhookRow>; secret?: string } {
	requireFitting(before.format, body)
	const isMoved = body.url !== undefined && body.url !== before.url
	const moved = isMoved ? addressValues(webhooks, before, body.url ?? '') : {}
	const row = { ...before, ...moved }
	const enabled = body.enabled === undefined ? before.enabled : Number(body.enabled)
	const begins = enabled === 1 && before.enabled === 0
	const values: Partial<WebhookRow> = {
		...moved,
		...slackValues(webhooks, row, body),
		enabled,
		description: body.description ?? before.description,
		events: body.events ? JSON.stringify(body.events) : before.events,
		updated_at: nowMs,
		...(begins && { disabled_reason: null, failing_since: null }),
	}
	const stays = new URL(row.url).origin === new URL(before.url).origin
	if (stays && body.routing_key === undefined) return { values }
	if (before.format === 'pagerduty' && body.routing_key === undefined) throw missing('routing_key')
	const secret = body.routing_key ?? newSecret()
	const fresh = {
		sealed_secret: webhooks.sealer.seal(secret, secretContext(row)),
		sealed_previous_secret: null,
		previous_expires_at: null,
		failing_since: null,
	}
	return { values: { ...values, ...fresh }, ...(before.format === 'standard' && { secret }) }
}

export async function rotateSecret(
	webhooks: WebhookContext,
	request: RequestContext,
	id: string,
): Promise<WebhookDocument & { secret: string }> {
	const nowMs = webhooks.clock.nowMs()
	return webhooks.mutate(async (tx) => {
		const before = await webhookOrNotFound(tx, principalIn(request).workspaceId, id)
		if (before.format !== 'standard')
			throw new Problem('conflict', 'Only webhooks of the format `standard` have a signing secret.')
		const secret = newSecret()
		const values = {
			sealed_secret: webhooks.sealer.seal(secret, secretContext(before)),
			sealed_previous_secret: before.sealed_secret,
			previous_expires_at: nowMs + oldSecretLivesMs,
			updated_at: nowMs,
		}
		await updateWebhook(tx, before.workspace_id, id, values)
		await recordChange(tx, webhooks, request, changeOf('rotate-secret', before))
		return { ...presentWebhook(webhooks, { ...before, ...values }), secret }
	})
}

export async function removeWebhook(
	webhooks: WebhookContext,
	request: RequestContext,
	id: string,
): Promise<void> {
	await webhooks.mutate(async (tx) => {
		// First: who holds it adds deliveries, which wait for the row of their webhook.
		await lockNumbering(tx)
		const row = await webhookOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentWebhook(webhooks, row))
		await deleteWebhook(tx, row.workspace_id, id)
		await recordChange(tx, webhooks, request, changeOf('delete', row))
	})
}

/** Turns a webhook off on behalf of the platform, with an event. */
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
	const by = { workspaceId: row.workspace_id, actor: systemActor('Signalbox') }
	await webhooks.audit.record(tx, { ...by, ...changeOf('disable', row, { reason }) })
}

/** A webhook must not deliver events that its creator cannot read themselves. */
function requireReadable(request: RequestContext, patterns: readonly string[]): void {
	for (const [type, { live }] of Object.entries(eventTypes)) {
		if (live || !matches(patterns, type)) continue
		const refusal = refusalOf(principalIn(request), type)
		if (refusal) throw new Problem('forbidden', `For ${type}: ${refusal.message}`)
	}
}
