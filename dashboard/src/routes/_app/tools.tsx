import { createFileRoute } from '@tanstack/react-router'
import { ToolsScreen } from '../../areas/usage/usage-screens.tsx'
import { parseUsageSearch } from '../../areas/usage/usage-search.ts'

export const Route = createFileRoute('/_app/tools')({
	validateSearch: parseUsageSearch,
	component: ToolsScreen,
})
