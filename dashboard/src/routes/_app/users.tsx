import { createFileRoute } from '@tanstack/react-router'
import { UsersScreen } from '../../areas/usage/usage-screens.tsx'
import { parseUsageSearch } from '../../areas/usage/usage-search.ts'

export const Route = createFileRoute('/_app/users')({
	validateSearch: parseUsageSearch,
	component: UsersScreen,
})
