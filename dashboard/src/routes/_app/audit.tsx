import { createFileRoute } from '@tanstack/react-router'
import { AuditScreen } from '../../areas/audit/audit-screen.tsx'
import { type AuditSearch, parseAuditSearch } from '../../areas/audit/audit-search.ts'

export const Route = createFileRoute('/_app/audit')({
	validateSearch: (search: Record<string, unknown>): AuditSearch => parseAuditSearch(search),
	component: AuditScreen,
})
