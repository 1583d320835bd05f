import { eventTypes } from './events.ts'
import type { createSchemaCollector, JsonSchema } from './openapi-schemas.ts'

type Collector = ReturnType<typeof createSchemaCollector>

const header = (name: string, description: string): JsonSchema => ({
	name,
	in: 'header',
	required: true,
	description,
	schema: { type: 'string' },
})

/** The headers of Standard Webhooks 1.0. */
export const webhookParameters: Record<string, JsonSchema> = {
	WebhookId: header('webhook-id', 'The id of the event; the same in every attempt and replay'),
	WebhookTimestamp: header('webhook-timestamp', 'When this attempt was made, in seconds since 1970'),
	WebhookSignature: header(
		'webhook-signature',
		'`v1,` and base64 of the HMAC-SHA256 over `id.timestamp.body` under the webhook’s secret; two with a space between them while that is being replaced',
	),
}

/**
 * The requests to the addresses of webhooks: one for each type of event, except those that are only in the stream. Their data is always a
 * component, since openapi-generator's Python generator ends with an exception at a `null` in a schema within a webhook.
 */
export function toWebhooks(collector: Collector): Record<string, Record<string, JsonSchema>> {
	const sent = Object.entries(eventTypes).filter(([, { live }]) => !live)
	return Object.fromEntries(
		sent.map(([type, { summary, data }]) => [
			type,
			{
				post: {
					operationId: `webhook.${type}`,
					tags: ['webhooks'],
					summary,
					security: [],
					parameters: Object.keys(webhookParameters).map((name) => ({
						$ref: `#/components/parameters/${name}`,
					})),
					requestBody: toMessage(type, data, collector),
					responses: {
						'2XX': { description: 'Success: any answer from 200 to 299 within 15 s' },
						'410': { description: 'The receiver is gone: the webhook is turned off' },
						default: { description: 'Sent again later, up to ten attempts in about three days' },
					},
				},
			},
		]),
	)
}

function toMessage(type: string, data: object, collector: Collector): JsonSchema {
	const properties = {
		type: { type: 'string', const: type },
		timestamp: { type: 'string', format: 'date-time', description: 'When it happened' },
		data: collector.project(data as JsonSchema),
	}
	const schema = { type: 'object', required: ['type', 'timestamp', 'data'], properties }
	return { required: true, content: { 'application/json': { schema } } }
}
