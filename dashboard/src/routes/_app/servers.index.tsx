import { createFileRoute } from '@tanstack/react-router'
import { ServersScreen } from '../../areas/servers/servers-screen.tsx'
import { type ListSearch, parseListSearch } from '../../lib/list-search.ts'

export const Route = createFileRoute('/_app/servers/')({
	validateSearch: (search: Record<string, unknown>): ListSearch & { register?: true } => ({
		...parseListSearch(search),
		...(search.register ? { register: true } : {}),
	}),
	component: ServersScreen,
})
