import { createFileRoute } from '@tanstack/react-router'
import { DashboardScreen } from '../../areas/dashboards/dashboard-screen.tsx'
import { type DashboardSearch, parseDashboardSearch } from '../../areas/dashboards/dashboard-search.ts'

export const Route = createFileRoute('/_app/dashboards/$dashboardId')({
	validateSearch: (search: Record<string, unknown>): DashboardSearch => parseDashboardSearch(search),
	component: DashboardScreen,
})
