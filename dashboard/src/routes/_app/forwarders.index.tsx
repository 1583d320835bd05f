import { createFileRoute } from '@tanstack/react-router'
import { ForwardersScreen } from '../../areas/forwarders/forwarders-screen.tsx'

export const Route = createFileRoute('/_app/forwarders/')({
	validateSearch: (search: Record<string, unknown>): { page?: number; create?: true } => ({
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
		...(search.create ? { create: true } : {}),
	}),
	component: ForwardersScreen,
})
