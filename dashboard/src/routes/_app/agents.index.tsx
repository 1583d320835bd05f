import { createFileRoute } from '@tanstack/react-router'
import { AgentsScreen } from '../../areas/agents/agents-screen.tsx'

export const Route = createFileRoute('/_app/agents/')({
	validateSearch: (search: Record<string, unknown>): { q?: string; create?: true; page?: number } => ({
		...(search.q ? { q: String(search.q) } : {}),
		...(search.create ? { create: true } : {}),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}),
	component: AgentsScreen,
})
