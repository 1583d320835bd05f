import { createFileRoute } from '@tanstack/react-router'
import { ConnectScreen } from '../../areas/upstream-credentials/connect-screen.tsx'

export const Route = createFileRoute('/_app/connect/$serverId')({
	validateSearch: (
		search: Record<string, unknown>,
	): { agent?: string; scope?: string; connected?: boolean; error?: string } => ({
		...(typeof search.agent === 'string' && { agent: search.agent }),
		...(typeof search.scope === 'string' && { scope: search.scope }),
		...(search.connected === true && { connected: true }),
		...(typeof search.error === 'string' && { error: search.error }),
	}),
	component: ConnectScreen,
})
