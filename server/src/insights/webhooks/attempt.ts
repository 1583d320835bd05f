import type { WebhookFormat } from '@signalbox/contract'
import { signedHeaders } from '../../platform/crypto/webhook-secret.ts'
import { textOfFailure } from '../../platform/errors.ts'
import { askedDelayMs } from '../../platform/retry.ts'
import { cut, slackMessage } from './slack.ts'
import { addressContext, type WebhookContext } from './webhook-context.ts'
import type { DeliveryRow, WebhookRow } from './webhook-repository.ts'

export interface Attempt {
	delivery: DeliveryRow
	/** Null if there was no answer. */
	status: number | null
	/** The beginning of the answer's body as text, or null. */
	body: string | null
	/** Why it failed, or null. */
	error: string | null
	/** How long the receiver asks to wait before the next attempt. */
	askedMs: number | null
	durationMs: number
}

const maxAskedMs = 24 * 60 * 60 * 1000
const timeoutMs = 15_000
const bodyBytes = 1024

/** Sends a delivery once; every failure is an outcome. Rejects only when `signal` is aborted. */
export async function attemptDelivery(
	webhooks: Pick<WebhookContext, 'safeFetch' | 'clock' | 'sealer' | 'publicAddress'>,
	row: WebhookRow,
	delivery: DeliveryRow,
	secrets: readonly string[],
	signal: AbortSignal,
): Promise<Attempt> {
	const { safeFetch, clock } = webhooks
	const isStandard = row.format === 'standard'
	const body = isStandard ? delivery.payload : bodyFor(webhooks, row, delivery, secrets[0] ?? '')
	const message = { id: delivery.event_id, timestampS: Math.floor(clock.nowMs() / 1000), body }
	const startedMs = performance.now()
	const end = (of: Pick<Attempt, 'status' | 'body' | 'error' | 'askedMs'>): Attempt => ({
		delivery,
		...of,
		durationMs: Math.round(performance.now() - startedMs),
	})
	try {
		const response = await safeFetch.fetch(addressOf(webhooks, row), {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'user-agent': 'Signalbox-Webhooks/1.0',
				...(delivery.traceparent !== null && { traceparent: delivery.traceparent }),
				...(isStandard && signedHeaders(message, secrets)),
			},
			body,
			redirects: 0,
			timeoutMs,
			signal,
		})
		return end({
			status: response.status,
			body: await readStart(response),
			error: response.ok ? null : `It answered ${response.status}.`,
			askedMs: askedDelayMs(response.headers.get('retry-after'), clock.nowMs(), maxAskedMs),
		})
	} catch (error) {
		signal.throwIfAborted()
		return end({ status: null, body: null, error: textOfFailure(error, timeoutMs), askedMs: null })
	}
}

/** The complete address, which is a secret for a chat. */
function addressOf({ sealer }: Pick<WebhookContext, 'sealer'>, row: WebhookRow): string {
	return row.sealed_address === null ? row.url : sealer.open(row.sealed_address, addressContext(row))
}

/** The message that a chat or pager receives for an event; `routingKey` is PagerDuty's. */
export function bodyFor(
	{ publicAddress }: Pick<WebhookContext, 'publicAddress'>,
	row: Pick<WebhookRow, 'format' | 'workspace_id' | 'sealed_slack_secret'>,
	{ payload }: Pick<DeliveryRow, 'payload'>,
	routingKey: string,
): string {
	if ((row.format as WebhookFormat) === 'standard') return payload
	const urlOf = (path: string) => `${publicAddress()}/ui/w/${row.workspace_id}${path}`
	const hasButtons = row.sealed_slack_secret !== null
	const notice = noticeOf(JSON.parse(payload), urlOf)
	return JSON.stringify(messageOf(row.format as ChatFormat, notice, { routingKey, hasButtons }))
}

type Answer = Awaited<ReturnType<WebhookContext['safeFetch']['fetch']>>

/**
 * A receiver's answer is shown to people as text, so only its beginning is read. The status has decided by then: a body that hangs or
 * breaks off is what arrived of it.
 */
async function readStart(response: Answer): Promise<string | null> {
	if (!response.body) return null
	const reader = response.body.getReader()
	const chunks: Uint8Array[] = []
	for (let size = 0; size < bodyBytes; ) {
		const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
		if (done || !value) break
		chunks.push(value)
		size += value.byteLength
	}
	void reader.cancel().catch(() => undefined)
	const start = Buffer.concat(chunks).subarray(0, bodyBytes).toString('utf8')
	return start.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** The content of a notification in every format. */
interface Notice {
	title: string
	text: string
	url: string
	at: string
	tone: 'bad' | 'ok' | 'info'
	/** A call that can be decided with Slack's buttons. */
	approvalId?: string
	/** Identifies an incident: a resolved notice ends the one that began with the same id. */
	alertId?: string
}

interface Named {
	name: string
}
/** The data of the events that have a wording of their own; see docs/events.md. */
interface EventData {
	alert?: { id: string; name: string }
	text?: string
	url?: string
	id?: string
	agent?: Named | null
	server?: Named | null
	tool?: string
	reason?: string | null
	decided_by?: Named | null
	expires_at?: string
	to?: string
	error?: string | null
	budget?: Named
	percent?: number
	count?: number
	actor?: Named
	target?: Named | null
}

interface Event {
	type: string
	timestamp: string
	data: EventData
}

/** An event as a title and a sentence; `urlOf` builds the address of a screen. */
function noticeOf({ type, timestamp: at, data }: Event, urlOf: (path: string) => string): Notice {
	const [area = '', verb = ''] = type.split('.')
	const [agent, server, tool] = [data.agent?.name ?? '', data.server?.name ?? '', data.tool ?? '']
	if (area === 'alert')
		return {
			title: `${alertWords[verb] ?? 'Alert'}: ${data.alert?.name ?? ''}`,
			text: data.text ?? '',
			url: data.url ?? urlOf('/alerts'),
			at,
			tone: verb === 'firing' ? 'bad' : verb === 'resolved' ? 'ok' : 'info',
			// A test must not open the incident of the alert: PagerDuty would add its next firing to it, without a page.
			...(verb !== 'test' && { alertId: data.alert?.id ?? '' }),
		}
	if (area === 'approval') {
		const url = urlOf(`/approvals/${data.id}`)
		const call = `${agent} → ${tool} on ${server}`
		if (verb === 'requested')
			return {
				title: `Approval needed: ${call}`,
				text: `${agent} wants to call ${tool} on ${server}. Open it to see the arguments. It expires at ${data.expires_at}.`,
				...{ url, at, tone: 'info', approvalId: data.id ?? '' },
			}
		const by = data.decided_by ? `By ${data.decided_by.name}` : 'Nobody decided in time'
		const text = data.reason ? `${by}: ${data.reason}` : `${by}.`
		return { title: `Approval ${verb}: ${call}`, text, url, at, tone: 'info' }
	}
	if (type === 'server.health_changed')
		return {
			title: `${server} is ${data.to}`,
			text: data.error ?? `The health check of ${server} says ${data.to}.`,
			...{ url: urlOf('/servers'), at, tone: data.to === 'healthy' ? 'ok' : 'bad' },
		}
	if (area === 'budget')
		return {
			title: `Budget ${data.budget?.name}: ${data.percent} % spent`,
			text: verb === 'exhausted' ? 'Calls are refused until the period ends.' : 'A threshold was reached.',
			...{ url: urlOf('/budgets'), at, tone: 'bad' },
		}
	if (area === 'tool') {
		const [noun, them] = data.count === 1 ? ['definition', 'it'] : ['definitions', 'them']
		return {
			title: `${server}: ${data.count} tool ${noun} ${verb.replace('definition_', '')}`,
			text: `Open the server to ${verb === 'approved' ? 'see' : 'compare and approve'} ${them}.`,
			...{ url: urlOf('/servers'), at, tone: 'info' },
		}
	}
	if (type === 'webhook.test')
		return {
			title: 'Test message from Signalbox',
			text: 'Messages arrive here.',
			...{ url: urlOf('/webhooks'), at, tone: 'info' },
		}
	const what = data.target ? ` ${data.target.name}` : ''
	return {
		title: `${area} ${verb}`.replaceAll('-', ' ').trim() + (what && `:${what}`),
		text: data.actor ? `By ${data.actor.name}.` : 'See the audit log.',
		...{ url: urlOf('/audit'), at, tone: 'info' },
	}
}

const alertWords: Record<string, string> = {
	firing: 'Alert',
	resolved: 'Resolved',
	test: 'Test of the alert',
}

type ChatFormat = Exclude<WebhookFormat, 'standard'>

/** The body in the format of a product's documentation; `routingKey` is PagerDuty's. */
function messageOf(
	format: ChatFormat,
	notice: Notice,
	{ routingKey = '', hasButtons = false }: { routingKey?: string; hasButtons?: boolean } = {},
): object {
	if (format === 'slack') return slackMessage(notice, hasButtons)
	if (format === 'teams') return teamsMessage(notice)
	if (format === 'pagerduty') return pagerDutyEvent(notice, routingKey)
	return discordMessage(notice)
}

/** For a Workflow that posts the body of a webhook request; it accepts only adaptive cards. */
function teamsMessage({ title, text, url, tone }: Notice): object {
	const colour = { bad: 'Attention', ok: 'Good', info: 'Default' }[tone]
	const block = { type: 'TextBlock', wrap: true }
	return {
		type: 'message',
		attachments: [
			{
				contentType: 'application/vnd.microsoft.card.adaptive',
				contentUrl: null,
				content: {
					$schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
					type: 'AdaptiveCard',
					version: '1.4',
					body: [
						{ ...block, text: cut(title, 250), weight: 'Bolder', size: 'Medium', color: colour },
						{ ...block, text: cut(text, 4000) },
					],
					actions: [{ type: 'Action.OpenUrl', title: 'Open in Signalbox', url }],
				},
			},
		],
	}
}

/** Events API v2. A resolved notice ends the incident of its alert. */
function pagerDutyEvent({ title, text, url, at, tone, alertId }: Notice, routing_key: string): object {
	const severity = { bad: 'error', ok: 'info', info: 'info' }[tone]
	return {
		routing_key,
		event_action: tone === 'ok' && alertId ? 'resolve' : 'trigger',
		...(alertId && { dedup_key: `signalbox-alert-${alertId}` }),
		payload: {
			...{ summary: cut(title, 1024), source: new URL(url).host, severity, timestamp: at },
			custom_details: { text },
		},
		links: [{ href: url, text: 'Open in Signalbox' }],
		client: 'Signalbox',
		client_url: url,
	}
}

function discordMessage({ title, text, url, at, tone }: Notice): object {
	const color = { bad: 0xb4202e, ok: 0x11704a, info: 0x2f55d4 }[tone]
	return {
		username: 'Signalbox',
		allowed_mentions: { parse: [] },
		embeds: [{ title: cut(title, 256), description: cut(text, 4096), url, timestamp: at, color }],
	}
}
