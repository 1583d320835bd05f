import { createFileRoute } from '@tanstack/react-router'
import { ExplorerScreen } from '../../areas/telemetry/explorer-screen.tsx'
import { type ExplorerSearch, parseExplorerSearch } from '../../areas/telemetry/explorer-search.ts'

export const Route = createFileRoute('/_app/traces/')({
	validateSearch: (search: Record<string, unknown>): ExplorerSearch => parseExplorerSearch(search),
	component: ExplorerScreen,
})
