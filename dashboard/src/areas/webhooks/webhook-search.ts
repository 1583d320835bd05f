import type { Delivery } from './queries.ts'

export type DeliveryStatus = Delivery['status']

export interface WebhookSearch {
	tab?: 'settings'
	/** Filter of the deliveries. */
	status?: DeliveryStatus
}

export function parseWebhookSearch({ tab, status }: Record<string, unknown>): WebhookSearch {
	return {
		...(tab === 'settings' ? { tab } : {}),
		...(status === 'pending' || status === 'delivered' || status === 'failed' ? { status } : {}),
	}
}
