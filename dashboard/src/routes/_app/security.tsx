import { createFileRoute } from '@tanstack/react-router'
import { SecurityScreen } from '../../areas/security/security-screen.tsx'
import { parseRange, type TimeRange } from '../../lib/time-range.ts'

export const Route = createFileRoute('/_app/security')({
	validateSearch: (search: Record<string, unknown>): Partial<TimeRange> =>
		search.start ? parseRange(search) : {},
	component: SecurityScreen,
})
