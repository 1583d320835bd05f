import { createFileRoute } from '@tanstack/react-router'
import { DefinitionsScreen } from '../../areas/tool-definitions/definitions-screen.tsx'
import {
	type DefinitionsSearch,
	parseDefinitionsSearch,
} from '../../areas/tool-definitions/definitions-search.ts'

export const Route = createFileRoute('/_app/servers/$serverId_/definitions')({
	validateSearch: (search: Record<string, unknown>): DefinitionsSearch => parseDefinitionsSearch(search),
	component: DefinitionsScreen,
})
