import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { agentQuery, agentsQuery } from '../agents/queries.ts'
import { serversQuery } from '../servers/queries.ts'
import { AskForm } from './ask-form.tsx'

interface AskPanelProps {
	agent: string | undefined
	tool: string | undefined
	onDone(): void
	onCancel(): void
}

/** The form, once what can be chosen in it is there. */
export function AskPanel({ agent, tool, onDone, onCancel }: AskPanelProps) {
	const agents = useQuery(agentsQuery({}))
	const servers = useQuery(serversQuery({}))
	// The list holds the first hundred; the one that is asked for may be another.
	const named = useQuery({ ...agentQuery(agent ?? ''), enabled: agent !== undefined, refetchInterval: false })
	const error = agents.error ?? servers.error
	if (error) return <ErrorState error={error} />
	if (!agents.data || !servers.data || (agent && named.isPending)) return <SkeletonRows />
	const others = agents.data.agents.filter(({ uuid }) => uuid !== agent)
	return (
		<Panel title="Ask for access">
			<AskForm
				key={`${agent} ${tool}`}
				agents={named.data ? [named.data, ...others] : others}
				servers={servers.data.mcp_servers}
				asked={{ agent, tool }}
				onDone={onDone}
				onCancel={onCancel}
			/>
		</Panel>
	)
}
