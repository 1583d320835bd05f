import { createFileRoute } from '@tanstack/react-router'
import { BudgetsScreen } from '../../areas/spend/budgets-screen.tsx'

interface BudgetsSearch {
	page?: number
	create?: true
	/** The budget that is open. */
	budget?: string
}

export const Route = createFileRoute('/_app/budgets')({
	validateSearch: (search: Record<string, unknown>): BudgetsSearch => ({
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
		...(search.create ? { create: true } : {}),
		...(search.budget ? { budget: String(search.budget) } : {}),
	}),
	component: BudgetsScreen,
})
