import { createFileRoute } from '@tanstack/react-router'
import { ToolsetsScreen } from '../../areas/toolsets/toolsets-screen.tsx'
import { type ListSearch, parseListSearch } from '../../lib/list-search.ts'

export const Route = createFileRoute('/_app/toolsets/')({
	validateSearch: (search: Record<string, unknown>): ListSearch & { create?: true } => ({
		...parseListSearch(search),
		...(search.create ? { create: true } : {}),
	}),
	component: ToolsetsScreen,
})
