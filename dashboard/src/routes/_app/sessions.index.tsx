import { createFileRoute } from '@tanstack/react-router'
import { SessionsScreen } from '../../areas/usage/usage-screens.tsx'
import { parseUsageSearch } from '../../areas/usage/usage-search.ts'

export const Route = createFileRoute('/_app/sessions/')({
	validateSearch: parseUsageSearch,
	component: SessionsScreen,
})
