import { createFileRoute } from '@tanstack/react-router'
import { AccessReviewScreen } from '../../areas/access-review/access-review-screen.tsx'
import { parseReviewSearch, type ReviewSearch } from '../../areas/access-review/review-search.ts'

export const Route = createFileRoute('/_app/access-review')({
	validateSearch: (search: Record<string, unknown>): ReviewSearch => parseReviewSearch(search),
	component: AccessReviewScreen,
})
