import { createFileRoute } from '@tanstack/react-router'
import { CompareScreen } from '../../areas/reader/compare-screen.tsx'
import { parseCompareSearch } from '../../areas/reader/compare-search.ts'

export const Route = createFileRoute('/_app/compare')({
	validateSearch: parseCompareSearch,
	component: CompareScreen,
})
