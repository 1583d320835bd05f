import { createFileRoute } from '@tanstack/react-router'
import { type InsightsSearch, parseInsightsSearch } from '../../areas/tool-insights/insights-search.ts'
import { ToolInsightsScreen } from '../../areas/tool-insights/tool-insights-screen.tsx'

export const Route = createFileRoute('/_app/tool-insights')({
	validateSearch: (search: Record<string, unknown>): InsightsSearch => parseInsightsSearch(search),
	component: ToolInsightsScreen,
})
