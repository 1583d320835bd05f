import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['Delivery']
export type WebhookInput = operations['webhooks.create']['requestBody']['content']['application/json']
export type WebhookChange = operations['webhooks.update']['requestBody']['content']['application/json']
/** A type of event, `area.*`, or `*`. */
export type EventName = WebhookInput['events'][number]

export function webhooksQuery(page: number) {
	return queryOptions({
		queryKey: ['webhooks', 'list', page],
		queryFn: () => unwrap(api.GET('/v1/webhooks', { params: { query: { limit: 50, page } } })),
		placeholderData: keepPreviousData,
	})
}

export function webhookQuery(id: string) {
	return queryOptions({
		queryKey: ['webhooks', id],
		queryFn: () => unwrap(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
		refetchInterval: 10_000,
	})
}

export function deliveryQuery(id: string, deliveryId: string) {
	return queryOptions({
		queryKey: ['webhooks', id, 'deliveries', deliveryId],
		queryFn: () =>
			unwrap(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id, deliveryId } } })),
	})
}

export function refreshWebhooks(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['webhooks'] })
}
