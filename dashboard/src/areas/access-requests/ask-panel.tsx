import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { agentQuery, allAgentsQuery } from '../agents/queries.ts'
import { allServersQuery } from '../servers/queries.ts'
import { AskForm } from './ask-form.tsx'

interface AskPanelProps {
	agent: string | undefined
	tool: string | undefined
	onDone(): void
	onCancel(): void
}

/** The form, once its choices are loaded. */
export function AskPanel({ agent, tool, onDone, onCancel }: AskPanelProps) {
	const agents = useQuery(allAgentsQuery)
	const servers = useQuery(allServersQuery)
	// The list contains the first hundred agents, and the requested one may not be among them.
	const named = useQuery({ ...agentQuery(agent ?? ''), enabled: agent !== undefined, refetchInterval: false })
	const error = agents.error ?? servers.error
	if (error) return <ErrorState error={error} />
	if (!agents.data || !servers.data || (agent && named.isPending)) return <SkeletonRows />
	const others = agents.data.agents.filter(({ uuid }) => uuid !== agent)
	return (
		<Panel title="Request access">
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
