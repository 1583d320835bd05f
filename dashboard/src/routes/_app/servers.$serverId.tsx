import { createFileRoute } from '@tanstack/react-router'
import { ServerScreen } from '../../areas/servers/server-screen.tsx'
import { parseServerTab, type ServerTab } from '../../areas/servers/server-tab.ts'

export const Route = createFileRoute('/_app/servers/$serverId')({
	validateSearch: (search: Record<string, unknown>): { tab?: ServerTab } => parseServerTab(search.tab),
	component: ServerScreen,
})
