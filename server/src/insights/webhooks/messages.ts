import type { WebhookFormat } from '@signalbox/contract'

/** The content of a notification in every format. */
export interface Notice {
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
export function noticeOf({ type, timestamp: at, data }: Event, urlOf: (path: string) => string): Notice {
	const [area = '', verb = ''] = type.split('.')
	const [agent, server, tool] = [data.agent?.name ?? '', data.server?.name ?? '', data.tool ?? '']
	if (area === 'alert')
		return {
			title: `${alertWords[verb] ?? 'Alert'}: ${data.alert?.name ?? ''}`,
			text: data.text ?? '',
			url: data.url ?? urlOf('/alerts'),
			at,
			tone: verb === 'firing' ? 'bad' : verb === 'resolved' ? 'ok' : 'info',
			alertId: data.alert?.id ?? '',
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
	if (area === 'tool')
		return {
			title: `${server}: ${data.count} tool definitions ${verb.replace('definition_', '')}`,
			text: 'Open the server to compare and approve them.',
			...{ url: urlOf('/servers'), at, tone: 'info' },
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

export type ChatFormat = Exclude<WebhookFormat, 'standard'>

/** The body in the format of a product's documentation; `routingKey` is PagerDuty's. */
export function messageOf(
	format: ChatFormat,
	notice: Notice,
	{ routingKey = '', hasButtons = false }: { routingKey?: string; hasButtons?: boolean } = {},
): object {
	if (format === 'slack') return slackMessage(notice, hasButtons)
	if (format === 'teams') return teamsMessage(notice)
	if (format === 'pagerduty') return pagerDutyEvent(notice, routingKey)
	return discordMessage(notice)
}

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

/** Escapes `&`, `<` and `>`, which are markup in Slack. */
export function slackText(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function slackMessage(notice: Notice, hasButtons: boolean): object {
	const { title, text, url, approvalId } = notice
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
