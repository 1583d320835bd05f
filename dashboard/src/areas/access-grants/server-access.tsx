import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { agentsQuery } from '../agents/queries.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type Server, toolsQuery } from '../servers/queries.ts'
import { GrantCard } from './grant-card.tsx'
import { NewGrantDialog } from './new-grant-dialog.tsx'

/** Which agents may use a server, and what of it. */
export function ServerAccess({ server }: { server: Server }) {
	const [isOpen, setIsOpen] = useState(false)
	const isAdmin = useCan('admin')
	const { data: agents } = useQuery(agentsQuery({}))
	const { data: tools } = useQuery(toolsQuery(server.id))
	const byHand = server.agent_access.filter(({ source }) => source.kind === 'manual')
	const granted = new Set(byHand.map(({ agent }) => agent.uuid))
	const others = (agents?.agents ?? [])
		.filter(({ uuid }) => !granted.has(uuid))
		.map(({ uuid, name }) => ({ id: uuid, name }))
	const grantButton = (
		<Button
			variant="primary"
			icon="plus"
			disabled={!isAdmin || others.length === 0}
			onClick={() => setIsOpen(true)}
		>
			Grant access
		</Button>
	)
	return (
		<div className="grid gap-3">
			<RoleHint needs="admin" what="change access" />
			{server.agent_access.length === 0 ? (
				<Panel>
					<Empty
						icon="agent"
						title="No agent has access"
						action={
							agents?.agents.length === 0 ? (
								<Link to="/agents" search={{ create: true }} className={buttonClass('primary')}>
									Create an agent
								</Link>
							) : (
								grantButton
							)
						}
					>
						Until you grant it, nobody can list or call the tools of {server.name}.
					</Empty>
				</Panel>
			) : (
				<>
					<div className="flex justify-end">{grantButton}</div>
					{server.agent_access.map((access) => (
						<GrantCard
							key={access.id}
							serverId={server.id}
							agentId={access.agent.uuid}
							name={access.agent.name}
							heading={
								<Link
									to="/agents/$agentId"
									params={{ agentId: access.agent.uuid }}
									className="text-accent hover:underline"
								>
									Open the agent
								</Link>
							}
							beside={access.agent.status !== 'active' && <StatusBadge status={access.agent.status} />}
							grant={access}
							tools={tools?.tools ?? []}
							disabled={!isAdmin}
						/>
					))}
				</>
			)}
			<NewGrantDialog
				open={isOpen}
				onClose={() => setIsOpen(false)}
				label="Agent"
				choices={others}
				ends={(agentId) => ({ serverId: server.id, agentId })}
			/>
		</div>
	)
}
