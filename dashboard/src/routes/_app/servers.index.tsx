import { createFileRoute } from '@tanstack/react-router'
import { ServersScreen } from '../../areas/servers/servers-screen.tsx'

export const Route = createFileRoute('/_app/servers/')({
	validateSearch: (search: Record<string, unknown>): { q?: string; register?: true; page?: number } => ({
		...(search.q ? { q: String(search.q) } : {}),
		...(search.register ? { register: true } : {}),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}),
	component: ServersScreen,
})
