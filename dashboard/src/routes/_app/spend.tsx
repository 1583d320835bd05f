import { createFileRoute } from '@tanstack/react-router'
import { SpendScreen } from '../../areas/spend/spend-screen.tsx'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'

export const Route = createFileRoute('/_app/spend')({
	validateSearch: (search: Record<string, unknown>): Partial<TimeRange> => {
		const range = parseRange(search)
		return range.start === defaultRange.start ? {} : range
	},
	component: SpendScreen,
})
