import { createFileRoute } from '@tanstack/react-router'
import { type AlertsSearch, parseAlertsSearch } from '../../areas/alerts/alert-search.ts'
import { AlertsScreen } from '../../areas/alerts/alerts-screen.tsx'

export const Route = createFileRoute('/_app/alerts/')({
	validateSearch: (search: Record<string, unknown>): AlertsSearch => parseAlertsSearch(search),
	component: AlertsScreen,
})
