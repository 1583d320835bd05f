import { createFileRoute } from '@tanstack/react-router'
import { PricesScreen } from '../../areas/spend/prices-screen.tsx'
import { pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'

interface PricesSearch extends Partial<TimeRange> {
	page?: number
	create?: true
	/** The model whose price is looked up, or about to be set. */
	model?: string
	provider?: string
	connection?: string
}

export const Route = createFileRoute('/_app/prices')({
	validateSearch: (search: Record<string, unknown>): PricesSearch => {
		const range = parseRange(search)
		return {
			...(range.start !== defaultRange.start && range),
			...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
			...(search.create ? { create: true } : {}),
			...pickText(search, ['model', 'provider', 'connection']),
		}
	},
	component: PricesScreen,
})
