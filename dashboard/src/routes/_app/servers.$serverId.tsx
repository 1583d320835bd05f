import { createFileRoute } from '@tanstack/react-router'
import { ServerScreen } from '../../areas/servers/server-screen.tsx'
import { parseServerSearch, type ServerSearch } from '../../areas/servers/server-tab.ts'

export const Route = createFileRoute('/_app/servers/$serverId')({
	validateSearch: (search: Record<string, unknown>): ServerSearch => parseServerSearch(search),
	component: ServerScreen,
})
