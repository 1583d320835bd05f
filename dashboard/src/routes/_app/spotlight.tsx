import { createFileRoute } from '@tanstack/react-router'
import { SpotlightScreen } from '../../areas/spotlight/spotlight-screen.tsx'
import { parseSpotlightSearch, type SpotlightSearch } from '../../areas/spotlight/spotlight-search.ts'

export const Route = createFileRoute('/_app/spotlight')({
	validateSearch: (search: Record<string, unknown>): SpotlightSearch => parseSpotlightSearch(search),
	component: SpotlightScreen,
})
