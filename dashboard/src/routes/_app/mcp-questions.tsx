import { createFileRoute, redirect } from '@tanstack/react-router'
import { parseInsightsSearch } from '../../areas/tool-insights/insights-search.ts'

/** The previous address of tool insights. */
export const Route = createFileRoute('/_app/mcp-questions')({
	validateSearch: parseInsightsSearch,
	beforeLoad: ({ search }) => {
		throw redirect({ to: '/tool-insights', search, replace: true })
	},
})
