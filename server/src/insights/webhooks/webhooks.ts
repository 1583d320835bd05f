import type { BoundOperation, Route } from '../../platform/http/index.ts'
import type { WebhookContext } from './context.ts'
import { handleDeliveries } from './deliver.ts'
import { webhookRoutes } from './routes.ts'
import { slackRoute } from './slack-answers.ts'

/** Addresses of the workspace that are told of its events; what they are to be told is queued by `appendEvent`. */
export function openWebhooks(webhooks: WebhookContext): { operations: BoundOperation[]; routes: Route[] } {
	handleDeliveries(webhooks)
	return { operations: webhookRoutes(webhooks), routes: [slackRoute(webhooks)] }
}
