import { createFileRoute } from '@tanstack/react-router'
import { AccessRequestsScreen } from '../../areas/access-requests/access-requests-screen.tsx'
import { parseRequestSearch, type RequestSearch } from '../../areas/access-requests/request-search.ts'

export const Route = createFileRoute('/_app/access-requests')({
	validateSearch: (search: Record<string, unknown>): RequestSearch => parseRequestSearch(search),
	component: AccessRequestsScreen,
})
