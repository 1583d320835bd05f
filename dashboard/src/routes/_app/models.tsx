import { createFileRoute } from '@tanstack/react-router'
import { ModelsScreen } from '../../areas/usage/usage-screens.tsx'
import { parseUsageSearch } from '../../areas/usage/usage-search.ts'

export const Route = createFileRoute('/_app/models')({
	validateSearch: parseUsageSearch,
	component: ModelsScreen,
})
