import { createFileRoute } from '@tanstack/react-router'
import { AgentsScreen } from '../../areas/agents/agents-screen.tsx'
import { type ListSearch, parseListSearch } from '../../lib/list-search.ts'

export const Route = createFileRoute('/_app/agents/')({
	validateSearch: (search: Record<string, unknown>): ListSearch & { group?: string; create?: true } => ({
		...parseListSearch(search),
		...(search.group ? { group: String(search.group) } : {}),
		...(search.create ? { create: true } : {}),
	}),
	component: AgentsScreen,
})
