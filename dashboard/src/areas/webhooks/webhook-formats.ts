import type { Delivery, Webhook } from './queries.ts'

type Format = Webhook['format']

interface FormatText {
	label: string
	/** Label of the address, or of the key in its place. */
	address: string
	hint: string
}

/** The products with which a webhook can communicate, and where to find the address there. */
export const formatTexts: Record<Format, FormatText> = {
	standard: {
		label: 'Signed webhook',
		address: 'URL',
		hint: 'Events are sent here by POST; redirects are not followed',
	},
	slack: {
		label: 'Slack',
		address: 'Incoming webhook URL',
		hint: 'Slack app → Incoming Webhooks → Add New Webhook',
	},
	teams: {
		label: 'Microsoft Teams',
		address: 'Workflow URL',
		hint: 'Channel → Workflows → “Send webhook alerts to a channel”',
	},
	pagerduty: {
		label: 'PagerDuty',
		address: 'Integration key',
		hint: 'Service → Integrations → Events API v2',
	},
	discord: { label: 'Discord', address: 'Webhook URL', hint: 'Channel settings → Integrations → Webhooks' },
}

/** The states of a delivery, as every screen names them. */
export const statusTexts: Record<Delivery['status'], string> = {
	pending: 'waiting',
	delivered: 'delivered',
	failed: 'failed',
}

/** A readable name: the product and, for a chat, its purpose. */
export function nameOfWebhook({ format, description, url }: Webhook): string {
	if (format === 'standard') return url
	return description ? `${formatTexts[format].label}: ${description}` : formatTexts[format].label
}
