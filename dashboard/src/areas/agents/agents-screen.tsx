import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { ListScreen } from '../../ui/list-screen.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { CreateAgentDialog } from './create-agent-dialog.tsx'
import { GroupLinks } from './group-links.tsx'
import { type Agent, agentsQuery } from './queries.ts'

const route = getRouteApi('/_app/agents/')

/** Which agents exist, and which of them are active? */
export function AgentsScreen() {
	const { q, group, create, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const query = useQuery({
		...agentsQuery({ ...(q && { q }), ...(group && { group }), page, limit: 50 }),
		refetchInterval: 15_000,
	})
	return (
		<ListScreen
			title="Agents"
			description="An agent is an identity for a caller. It has its own keys and the access that you grant."
			action={
				<Button
					variant="primary"
					icon="plus"
					disabled={!useCan('agents:write')}
					onClick={() => void navigate({ search: (old) => ({ ...old, create: true }) })}
				>
					Create agent
				</Button>
			}
			hint={
				<>
					<RoleHint needs="agents:write" what="create agents" />
					{group && (
						<p className="mb-3 flex flex-wrap items-center gap-2 text-ink-2">
							Agents in the group <span className="font-mono text-xs text-ink">{group}</span>
							<Button small icon="close" onClick={() => void navigate({ search: q ? { q } : {} })}>
								All groups
							</Button>
						</p>
					)}
				</>
			}
			query={query}
			q={q}
			onSearch={(text) =>
				void navigate({ search: { ...(text && { q: text }), ...(group && { group }) }, replace: true })
			}
			onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
			empty={{
				icon: 'agent',
				what: 'agent',
				text: 'Create one for each program or person that calls tools or models, so you can see and stop each one separately.',
			}}
			table={({ agents }) => (agents.length > 0 ? <AgentTable agents={agents} /> : null)}
		>
			<CreateAgentDialog open={create === true} onClose={() => void navigate({ search: q ? { q } : {} })} />
		</ListScreen>
	)
}

function AgentTable({ agents }: { agents: readonly Agent[] }) {
	return (
		<Table label="Agents">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Status</Th>
					<Th>Groups</Th>
					<Th right>Servers</Th>
					<Th right>Last seen</Th>
					<Th right>Created</Th>
				</tr>
			</thead>
			<tbody>
				{agents.map((agent) => (
					<Row key={agent.uuid}>
						<Td className="max-w-96">
							<Link
								to="/agents/$agentId"
								params={{ agentId: agent.uuid }}
								className="block truncate font-medium hover:underline"
							>
								{showDirections(agent.name)}
							</Link>
							{agent.description && (
								<span className="block truncate text-xs text-ink-3">{agent.description}</span>
							)}
						</Td>
						<Td>
							<StatusBadge status={agent.status} />
						</Td>
						<Td className="max-w-64">
							<GroupLinks groups={agent.groups} />
						</Td>
						<Td right>{agent.mcp_server_count}</Td>
						<Td right className="text-ink-2">
							<Ago at={agent.last_seen_at} />
						</Td>
						<Td right className="text-ink-2">
							<Ago at={agent.created_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
