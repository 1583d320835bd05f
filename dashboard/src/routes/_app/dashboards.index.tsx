import { createFileRoute } from '@tanstack/react-router'
import { type DashboardsSearch, parseDashboardsSearch } from '../../areas/dashboards/dashboard-search.ts'
import { DashboardsScreen } from '../../areas/dashboards/dashboards-screen.tsx'

export const Route = createFileRoute('/_app/dashboards/')({
	validateSearch: (search: Record<string, unknown>): DashboardsSearch => parseDashboardsSearch(search),
	component: DashboardsScreen,
})
