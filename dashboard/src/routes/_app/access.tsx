import { createFileRoute } from '@tanstack/react-router'
import { MatrixScreen } from '../../areas/access-grants/matrix-screen.tsx'
import { type MatrixSearch, parseMatrixSearch } from '../../areas/access-grants/matrix-search.ts'

export const Route = createFileRoute('/_app/access')({
	validateSearch: (search: Record<string, unknown>): MatrixSearch => parseMatrixSearch(search),
	component: MatrixScreen,
})
