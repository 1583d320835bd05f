import { createFileRoute } from '@tanstack/react-router'
import { type ConnectionsSearch, parseConnectionsSearch } from '../../areas/model-proxy/connections-search.ts'
import { ModelsScreen } from '../../areas/model-proxy/models-screen.tsx'

export const Route = createFileRoute('/_app/connections')({
	validateSearch: (search: Record<string, unknown>): ConnectionsSearch => parseConnectionsSearch(search),
	component: ModelsScreen,
})
