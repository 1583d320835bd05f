import { webhookOperations } from '@signalbox/contract'
import { notFound } from '../../platform/errors.ts'
import {
	type BoundOperation,
	bind,
	principalIn,
	type RequestContext,
	type Route,
} from '../../platform/http/index.ts'
import { createCursors, paginate } from '../../platform/paging.ts'
import {
	changeWebhook,
	createWebhook,
	removeWebhook,
	rotateSecret,
	webhookOrNotFound,
} from './change-webhooks.ts'
import type { Change, WebhookContext } from './context.ts'
import { handleDeliveries } from './deliver.ts'
import { presentDelivery, presentDeliveryDetail, presentWebhook } from './present-webhook.ts'
import { findDelivery, findWebhook, listDeliveries, listWebhooks } from './repository.ts'
import { replayDelivery, testWebhook } from './send-again.ts'
import { slackRoute } from './slack-answers.ts'

/** Addresses of the workspace that are notified of its events; what they get is queued by `appendEvent`. */
export function openWebhooks(webhooks: WebhookContext): { operations: BoundOperation[]; routes: Route[] } {
	handleDeliveries(webhooks)
	return { operations: webhookRoutes(webhooks), routes: [slackRoute(webhooks)] }
}

function webhookRoutes(webhooks: WebhookContext): BoundOperation[] {
	const { store } = webhooks
	const cursors = createCursors(webhooks.sealer, 'delivery_cursor')
	return bind(webhookOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listWebhooks(store.db, principalIn(context).workspaceId, query)
			return {
				webhooks: rows.map((row) => presentWebhook(webhooks, row)),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createWebhook(webhooks, changeBy(context), body),
		get: async ({ params, context }) => {
			const row = await webhookOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentWebhook(webhooks, row)
		},
		update: ({ params, body, context }) => changeWebhook(webhooks, changeBy(context), params.id, body),
		delete: async ({ params, context }) => void (await removeWebhook(webhooks, changeBy(context), params.id)),
		rotateSecret: ({ params, context }) => rotateSecret(webhooks, changeBy(context), params.id),
		test: ({ params, context }) => testWebhook(webhooks, changeBy(context), params.id),
		deliveries: async ({ params, query, context }) => {
			const { workspaceId } = principalIn(context)
			await webhookOrNotFound(store.db, workspaceId, params.id)
			const { status, limit, cursor } = query
			const beforeId = cursor === undefined ? null : cursors.open(workspaceId, cursor)
			const page = { status, beforeId, limit: limit + 1 }
			const rows = await listDeliveries(store.db, workspaceId, params.id, page)
			const last = rows.length > limit ? rows[limit - 1] : undefined
			return {
				deliveries: rows.slice(0, limit).map(presentDelivery),
				next_cursor: last ? cursors.seal(workspaceId, last.id) : null,
			}
		},
		delivery: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const webhook = await findWebhook(store.db, workspaceId, params.id)
			const row = await findDelivery(store.db, workspaceId, params.id, params.deliveryId)
			if (!webhook || !row) throw notFound('delivery')
			return presentDeliveryDetail(webhooks, webhook, row)
		},
		replay: ({ params, context }) =>
			replayDelivery(webhooks, changeBy(context), params.id, params.deliveryId),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
