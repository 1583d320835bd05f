import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { useCan } from '../identity/session.ts'
import { type Server, toolsQuery } from '../servers/queries.ts'
import { GrantCard } from './grant-card.tsx'
import { GrantList } from './grant-list.tsx'

/** Which agents may use a server, and which parts of it. */
export function ServerAccess({ server }: { server: Server }) {
	const canChange = useCan('access:write')
	const { data: agents } = useQuery(allAgentsQuery)
	const { data: tools } = useQuery(toolsQuery(server.id))
	const byHand = server.agent_access.filter(({ source }) => source.kind === 'manual')
	const granted = new Set(byHand.map(({ agent }) => agent.uuid))
	const others = (agents?.agents ?? []).filter(({ uuid }) => !granted.has(uuid))
	return (
		<GrantList
			label="Agent"
			choices={others.map(({ uuid, name }) => ({ id: uuid, name }))}
			ends={(agentId) => ({ serverId: server.id, agentId })}
			empty={{
				icon: 'agent',
				title: 'No agent has access',
				text: `Until you grant it, nobody can list or call the tools of ${server.name}.`,
				action:
					agents?.agents.length === 0 ? (
						<Link to="/agents" search={{ create: true }} className={buttonClass('primary')}>
							Create an agent
						</Link>
					) : null,
			}}
		>
			{server.agent_access.map((access) => (
				<GrantCard
					key={access.id}
					serverId={server.id}
					agentId={access.agent.uuid}
					name={access.agent.name}
					described={`${access.agent.name}’s access to ${server.name}`}
					heading={
						<Link
							to="/agents/$agentId"
							params={{ agentId: access.agent.uuid }}
							className="text-accent hover:underline"
						>
							Go to agent
						</Link>
					}
					beside={access.agent.status !== 'active' && <StatusBadge status={access.agent.status} />}
					grant={access}
					tools={tools?.tools ?? []}
					disabled={!canChange}
				/>
			))}
		</GrantList>
	)
}
