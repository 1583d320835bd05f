import { createFileRoute, redirect } from '@tanstack/react-router'
import { parseInsightsSearch } from '../../areas/tool-insights/insights-search.ts'

/** The address that tool insights had before. */
export const Route = createFileRoute('/_app/mcp-questions')({
	validateSearch: parseInsightsSearch,
	beforeLoad: ({ search }) => {
		throw redirect({ to: '/tool-insights', search, replace: true })
	},
})
