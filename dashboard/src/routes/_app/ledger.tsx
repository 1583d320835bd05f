import { createFileRoute } from '@tanstack/react-router'
import { LedgerScreen } from '../../areas/spend/ledger-screen.tsx'
import { type LedgerSearch, parseLedgerSearch } from '../../areas/spend/ledger-search.ts'

export const Route = createFileRoute('/_app/ledger')({
	validateSearch: (search: Record<string, unknown>): LedgerSearch => parseLedgerSearch(search),
	component: LedgerScreen,
})
