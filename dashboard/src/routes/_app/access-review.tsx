import { createFileRoute } from '@tanstack/react-router'
import { AccessReviewScreen } from '../../areas/access-review/access-review-screen.tsx'

export const Route = createFileRoute('/_app/access-review')({
	validateSearch: (search: Record<string, unknown>): { days?: number } =>
		[1, 30, 90].includes(Number(search.days)) ? { days: Number(search.days) } : {},
	component: AccessReviewScreen,
})
