import { createFileRoute } from '@tanstack/react-router'
import { AlertsScreen } from '../../areas/alerts/alerts-screen.tsx'

interface AlertsSearch {
	tab?: 'questions'
	page?: number
	/** The saved question of a new alert; '' for one that is yet to be chosen. */
	watch?: string
}

export const Route = createFileRoute('/_app/alerts/')({
	validateSearch: (search: Record<string, unknown>): AlertsSearch => ({
		...(search.tab === 'questions' && { tab: search.tab }),
		...(Number(search.page) > 1 && { page: Math.floor(Number(search.page)) }),
		...(typeof search.watch === 'string' && { watch: search.watch }),
	}),
	component: AlertsScreen,
})
