import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { notFound, Problem } from '../../platform/errors.ts'
import { readBody } from '../../platform/http/read-body.ts'
import type { RequestContext, Route } from '../../platform/http/route.ts'
import { slackSecretContext, type WebhookContext } from './webhook-context.ts'
import { findWebhookById, type WebhookRow } from './webhook-repository.ts'

/** Shortens a text to the length that a chat accepts, without half of an emoji, for which some refuse the whole message. */
export const cut = (text: string, max: number) =>
	text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text

/** Escapes `&`, `<` and `>`, which are markup in Slack. */
function slackText(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

interface SlackNotice {
	title: string
	text: string
	url: string
	/** A call that can be decided with the buttons. */
	approvalId?: string
}

/** A notification as a message, with buttons if the call can be decided in Slack. */
export function slackMessage({ title, text, url, approvalId }: SlackNotice, hasButtons: boolean): object {
	const button = (action_id: string, label: string, style: string) => ({
		...{ type: 'button', action_id, style, value: approvalId },
		text: { type: 'plain_text', text: label },
	})
	const link = `<${url}|${slackText(cut(title, 250))}>`
	const blocks: object[] = [
		{ type: 'section', text: { type: 'mrkdwn', text: `*${link}*\n${slackText(cut(text, 2500))}` } },
	]
	if (hasButtons && approvalId)
		blocks.push({
			type: 'actions',
			block_id: 'approval',
			elements: [button('approve', 'Approve', 'primary'), button('deny', 'Deny', 'danger')],
		})
	return { text: slackText(cut(title, 250)), blocks }
}

const maxBytes = 64 * 1024
/** Slack's own limit: an older request may be a replay. */
const freshS = 5 * 60

/** The route to which Slack sends button presses in our messages. */
export function slackRoute(webhooks: WebhookContext): Route {
	return {
		id: 'webhooks.slack',
		method: 'POST',
		path: '/integrations/slack/{id}',
		access: { public: true },
		family: 'api',
		handle: (request, response, context) => answer(webhooks, request, response, context),
	}
}

interface Pressed {
	type?: string
	user?: { id?: string }
	actions?: { action_id?: string; value?: string }[]
	response_url?: string
}

/** An unknown address, a webhook without a secret and a wrong signature have the same answer. */
async function answer(
	webhooks: WebhookContext,
	request: IncomingMessage,
	response: ServerResponse,
	{ params, requestId }: RequestContext,
): Promise<void> {
	await secretOf(webhooks, params.id ?? '')
	const body = (await readBody(request, maxBytes)).toString('utf8')
	// Read again, because the sender decides when its body has arrived.
	const { row, secret } = await secretOf(webhooks, params.id ?? '')
	if (!isSigned(request, body, secret, webhooks.clock.nowMs())) throw notFound('webhook')
	const pressed = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}') as Pressed
	// Slack waits three seconds for this answer; the result is sent to the address in its request.
	const text = await decidePressed(webhooks, row, pressed, requestId)
	response.writeHead(200, { 'content-length': '0' }).end()
	if (text !== null && pressed.response_url) await reply(webhooks, pressed.response_url, text)
}

/** The webhook and its secret; throws `not_found` if it answers nothing. */
async function secretOf({ store, sealer }: WebhookContext, id: string) {
	const row = await findWebhookById(store.db, id)
	if (row?.enabled !== 1 || row.sealed_slack_secret === null) throw notFound('webhook')
	return { row, secret: sealer.open(row.sealed_slack_secret, slackSecretContext(row)) }
}

/** `v0=` and the HMAC of `v0:{timestamp}:{body}`, compared in constant time. */
function isSigned({ headers }: IncomingMessage, body: string, secret: string, nowMs: number): boolean {
	const timestamp = headers['x-slack-request-timestamp']
	const given = headers['x-slack-signature']
	if (typeof timestamp !== 'string' || typeof given !== 'string' || !/^\d{1,12}$/.test(timestamp))
		return false
	if (Math.abs(nowMs / 1000 - Number(timestamp)) > freshS) return false
	const expected = Buffer.from(
		`v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`,
	)
	const sent = Buffer.from(given)
	return sent.length === expected.length && timingSafeEqual(sent, expected)
}

interface SlackReply {
	text: string
	/** Replaces the message with its buttons; otherwise it is shown to this person only. */
	replaces: boolean
}

/** Decides as the member who is linked to this Slack user, with their current role; null: no button of ours was pressed. */
async function decidePressed(
	webhooks: WebhookContext,
	row: WebhookRow,
	{ type, user, actions }: Pressed,
	requestId: string,
): Promise<SlackReply | null> {
	const [action] = actions ?? []
	const answer = action?.action_id
	if (type !== 'block_actions' || (answer !== 'approve' && answer !== 'deny')) return null
	const member = memberOf(webhooks, row, user?.id)
	if (!member)
		return {
			text: 'Your Slack account is not linked to a member of this workspace. An admin can link it in Signalbox.',
			replaces: false,
		}
	try {
		const decision = { answer, reason: 'answered in Slack' } as const
		const { name } = await webhooks.decideApproval(member, requestId, action?.value ?? '', decision)
		return {
			text: `${answer === 'approve' ? 'Approved' : 'Denied'} by ${member.email}: ${name}`,
			replaces: true,
		}
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		return { text: error.message, replaces: error.code === 'approval_decided' }
	}
}

function memberOf({ memberOf: find }: WebhookContext, row: WebhookRow, slackUserId: string | undefined) {
	const members = JSON.parse(row.slack_members) as { slack_user_id: string; user_id: string }[]
	const linked = members.find(({ slack_user_id }) => slack_user_id === slackUserId)
	return linked ? find(row.workspace_id, { userId: linked.user_id }) : null
}

/** If Slack does not accept the reply it is lost; the decision stands, and is shown in the dashboard. */
async function reply(
	{ safeFetch }: WebhookContext,
	url: string,
	{ text, replaces }: SlackReply,
): Promise<void> {
	const body = JSON.stringify({
		text: slackText(text),
		...(replaces ? { replace_original: true } : { replace_original: false, response_type: 'ephemeral' }),
	})
	await safeFetch
		.fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body,
			redirects: 0,
			timeoutMs: 10_000,
		})
		.then((answer) => answer.body?.cancel())
		.catch(() => undefined)
}
