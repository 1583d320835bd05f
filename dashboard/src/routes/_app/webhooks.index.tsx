import { createFileRoute } from '@tanstack/react-router'
import { WebhooksScreen } from '../../areas/webhooks/webhooks-screen.tsx'

export const Route = createFileRoute('/_app/webhooks/')({
	validateSearch: (search: Record<string, unknown>): { page?: number; create?: true } => ({
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
		...(search.create ? { create: true } : {}),
	}),
	component: WebhooksScreen,
})
