import { createFileRoute } from '@tanstack/react-router'
import { ScoresScreen } from '../../areas/scores/scores-screen.tsx'
import { parseScoresSearch, type ScoresSearch } from '../../areas/scores/scores-search.ts'

export const Route = createFileRoute('/_app/scores')({
	validateSearch: (search: Record<string, unknown>): ScoresSearch => parseScoresSearch(search),
	component: ScoresScreen,
})
