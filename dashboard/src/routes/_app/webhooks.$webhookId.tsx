import { createFileRoute } from '@tanstack/react-router'
import { WebhookScreen } from '../../areas/webhooks/webhook-screen.tsx'
import { parseWebhookSearch, type WebhookSearch } from '../../areas/webhooks/webhook-search.ts'

export const Route = createFileRoute('/_app/webhooks/$webhookId')({
	validateSearch: (search: Record<string, unknown>): WebhookSearch => parseWebhookSearch(search),
	component: WebhookScreen,
})
