import { createFileRoute } from '@tanstack/react-router'
import { type ApprovalsSearch, parseApprovalsSearch } from '../../areas/approvals/approval-search.ts'
import { ApprovalsScreen } from '../../areas/approvals/approvals-screen.tsx'

export const Route = createFileRoute('/_app/approvals/')({
	validateSearch: (search: Record<string, unknown>): ApprovalsSearch => parseApprovalsSearch(search),
	component: ApprovalsScreen,
})
