import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, IdParams, Nullable, OneOf, optional, Pagination, pageQuery, Strict, Time } from './common.ts'
import { eventPatterns, eventTypes } from './events.ts'
import { operation } from './operation.ts'

const Url = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://example.org/hooks/signalbox'] })

/** Live events are not stored, so they cannot be delivered. */
const deliverable = Object.keys(eventTypes).filter((type) => !eventTypes[type]?.live)
const Events = Type.Array(OneOf([...eventPatterns.filter((name) => name !== 'call.*'), ...deliverable]), {
	minItems: 1,
	maxItems: 100,
	uniqueItems: true,
	description: 'Event types, `area.*`, or `*`; listed in docs/events.md',
})

/** The format of a webhook's notifications: our signed events, or messages that a chat or pager accepts. */
export const webhookFormats = ['standard', 'slack', 'teams', 'pagerduty', 'discord'] as const
export type WebhookFormat = (typeof webhookFormats)[number]

const SlackMembers = Type.Array(
	Strict(
		{
			slack_user_id: Type.String({ pattern: '^[UW][A-Z0-9]{2,30}$', examples: ['U012AB3CD'] }),
			email: Type.String({
				format: 'email',
				maxLength: 254,
				description: 'E-mail address of a member of the workspace',
			}),
		},
		{ title: 'SlackMember' },
	),
	{ maxItems: 200, description: 'Slack users who may answer approvals, and as which member' },
)
/** Never returned. */
const givenSecrets = {
	routing_key: Type.String({
		minLength: 1,
		maxLength: 200,
		description: 'With `pagerduty`: the integration key of the service',
	}),
	slack_signing_secret: Nullable(
		Type.String({
			minLength: 1,
			maxLength: 200,
			description:
				'With `slack`: the signing secret of the Slack app, so that approvals can be answered there',
		}),
	),
}

const readOnly = {
	id: Id,
	format: OneOf(webhookFormats, {
		description: '`standard`: signed events; others: messages in the format of that product',
	}),
	answers_approvals: Type.Boolean({
		description: 'Whether Slack messages have buttons; true when a signing secret is stored',
	}),
	disabled_reason: Nullable(Type.String({ description: 'Why the platform turned it off' })),
	failing_since: Nullable(Time),
	old_secret_expires_at: Nullable(
		Type.String({
			format: 'date-time',
			description: 'Until then deliveries are also signed with the previous secret',
		}),
	),
	created_at: Time,
	updated_at: Time,
}
const fields = {
	...readOnly,
	url: Type.String({ description: 'For chats only the origin, because the rest of the address is a secret' }),
	description: Type.String(),
	events: Type.Array(Type.String()),
	enabled: Type.Boolean(),
	slack_members: SlackMembers,
}

export const Webhook = Strict(fields, { title: 'Webhook' })
const secret = Type.String({
	description: 'The signing secret (`whsec_…`), shown only here; only for the format `standard`',
})
export const NewWebhook = Strict({ ...fields, secret: Type.Optional(secret) }, { title: 'NewWebhook' })
export const ChangedWebhook = Strict(
	{ ...fields, secret: Type.Optional(secret) },
	{ title: 'ChangedWebhook' },
)

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

const deliveryFields = {
	id: Id,
	event_id: Type.String({ description: 'The `webhook-id` of every attempt' }),
	type: Type.String(),
	status: OneOf(deliveryStatuses),
	attempts: Type.Integer(),
	created_at: Time,
	attempted_at: Nullable(Time),
	next_attempt_at: Nullable(Time),
	response_status: Nullable(Type.Integer()),
	duration_ms: Nullable(Type.Integer()),
	error: Nullable(Type.String()),
}
const Delivery = Strict(deliveryFields, { title: 'Delivery' })
const DeliveryDetail = Strict(
	{
		...deliveryFields,
		body: Type.String({ description: 'As sent' }),
		response_body: Nullable(Type.String({ description: 'The first 1 kB of the last answer, as text' })),
	},
	{ title: 'DeliveryDetail' },
)

const DeliveryParams = Strict({ id: Id, deliveryId: Id })
const reading = byScope('webhooks:read')
const writing = byScope('webhooks:write')
const mayRead =
	'Whoever creates or changes a webhook must be allowed to read all event types that it receives (docs/events.md).'

export const webhookOperations = {
	list: operation({
		id: 'webhooks.list',
		method: 'GET',
		path: '/v1/webhooks',
		summary: 'List webhooks',
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'updated_at', 'url'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict({ webhooks: Type.Array(Webhook), pagination: Pagination }, { title: 'WebhookList' }),
	}),
	create: operation({
		id: 'webhooks.create',
		secrets: ['secret'],
		method: 'POST',
		path: '/v1/webhooks',
		summary: 'Create a webhook: events are sent to its address; the signing secret is shown once',
		description: `Deliveries are signed according to Standard Webhooks 1.0; chats and pagers get messages in their own format (docs/events.md). ${mayRead}`,
		access: writing,
		body: Strict({
			url: Type.Optional(Url),
			format: Type.Optional(OneOf(webhookFormats, { description: 'Default: `standard`' })),
			events: Events,
			description: Type.Optional(Type.String({ maxLength: 500 })),
			enabled: Type.Optional(Type.Boolean()),
			slack_members: Type.Optional(SlackMembers),
			...optional(givenSecrets),
		}),
		status: 201,
		response: NewWebhook,
		problems: ['conflict', 'blocked_address'],
	}),
	get: operation({
		id: 'webhooks.get',
		method: 'GET',
		path: '/v1/webhooks/{id}',
		summary: 'Get a webhook, without its secret',
		access: reading,
		params: IdParams,
		status: 200,
		response: Webhook,
		observed: ['failing_since'],
	}),
	update: operation({
		id: 'webhooks.update',
		method: 'PATCH',
		path: '/v1/webhooks/{id}',
		summary: 'Change a webhook; another origin gets a new secret, shown once in the answer',
		description: `Turning it off drops waiting deliveries. Unchanged read-only fields are accepted. ${mayRead}`,
		access: writing,
		params: IdParams,
		body: Strict(
			{
				...optional(readOnly),
				url: Type.Optional(Url),
				events: Type.Optional(Events),
				description: Type.Optional(Type.String({ maxLength: 500 })),
				enabled: Type.Optional(Type.Boolean()),
				slack_members: Type.Optional(SlackMembers),
				...optional(givenSecrets),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: ChangedWebhook,
		problems: ['blocked_address'],
	}),
	delete: operation({
		id: 'webhooks.delete',
		method: 'DELETE',
		path: '/v1/webhooks/{id}',
		summary: 'Delete a webhook with its deliveries',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
	rotateSecret: operation({
		id: 'webhooks.rotate-secret',
		secrets: ['secret'],
		method: 'POST',
		path: '/v1/webhooks/{id}/rotate-secret',
		summary:
			'Rotate the signing secret of a webhook; the new one is shown once, the old one also signs for 24 hours',
		access: writing,
		params: IdParams,
		status: 201,
		response: NewWebhook,
		problems: ['conflict'],
	}),
	test: operation({
		id: 'webhooks.test',
		method: 'POST',
		path: '/v1/webhooks/{id}/test',
		summary: 'Queue a `webhook.test` event for this webhook',
		access: writing,
		params: IdParams,
		status: 201,
		response: Delivery,
		problems: ['conflict'],
	}),
	deliveries: operation({
		id: 'webhooks.deliveries',
		method: 'GET',
		path: '/v1/webhooks/{id}/deliveries',
		summary: 'List deliveries to a webhook and their outcomes, newest first; kept for seven days',
		access: reading,
		params: IdParams,
		query: Strict({
			status: Type.Optional(OneOf(deliveryStatuses)),
			limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
			cursor: Type.Optional(Type.String({ maxLength: 400 })),
		}),
		status: 200,
		response: Strict(
			{ deliveries: Type.Array(Delivery), next_cursor: Nullable(Type.String()) },
			{ title: 'DeliveryList' },
		),
	}),
	delivery: operation({
		id: 'webhooks.delivery',
		method: 'GET',
		path: '/v1/webhooks/{id}/deliveries/{deliveryId}',
		summary: 'Get a delivery with its body and the last answer of the receiver',
		access: reading,
		params: DeliveryParams,
		status: 200,
		response: DeliveryDetail,
	}),
	replay: operation({
		id: 'webhooks.replay',
		method: 'POST',
		path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
		summary: 'Send a delivery again with the same `webhook-id`, as a new entry in the log',
		access: writing,
		params: DeliveryParams,
		status: 201,
		response: Delivery,
		problems: ['conflict'],
	}),
}
