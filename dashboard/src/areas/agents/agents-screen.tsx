import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { SearchInput } from '../../ui/field.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { CreateAgentDialog } from './create-agent-dialog.tsx'
import { type Agent, agentsQuery } from './queries.ts'

const route = getRouteApi('/_app/agents/')

/** Which agents exist, and which of them are at work? */
export function AgentsScreen() {
	const { q, create, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const canCreate = useCan('member')
	const { data, error, isPending, refetch } = useQuery({
		...agentsQuery({ ...(q && { q }), page, limit: 50 }),
		refetchInterval: 15_000,
	})
	const createButton = (
		<Button
			variant="primary"
			icon="plus"
			disabled={!canCreate}
			onClick={() => void navigate({ search: (old) => ({ ...old, create: true }) })}
		>
			Create agent
		</Button>
	)
	return (
		<Page
			title="Agents"
			description="An agent is an identity that calls: it has keys, and the access that you grant."
			actions={createButton}
		>
			<RoleHint needs="member" what="create agents" />
			{(q !== undefined || (data?.pagination.total ?? 0) > 8) && (
				<div className="mb-3">
					<SearchInput
						label="Find by name"
						value={q ?? ''}
						onChange={(event) =>
							void navigate({ search: event.target.value ? { q: event.target.value } : {}, replace: true })
						}
					/>
				</div>
			)}
			<Panel flush>
				{isPending ? (
					<SkeletonRows />
				) : error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : data.agents.length === 0 ? (
					<Empty
						icon="agent"
						title={q ? `No agent is named like “${q}”` : 'No agent yet'}
						action={!q && createButton}
					>
						{q
							? 'Try a shorter part of the name.'
							: 'Create one for each program or person that shall call tools or models: then you see, and can stop, each by itself.'}
					</Empty>
				) : (
					<AgentTable agents={data.agents} />
				)}
			</Panel>
			{data && (
				<Pager
					pagination={data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
			<CreateAgentDialog open={create === true} onClose={() => void navigate({ search: q ? { q } : {} })} />
		</Page>
	)
}

function AgentTable({ agents }: { agents: readonly Agent[] }) {
	return (
		<Table label="Agents">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Status</Th>
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
								{agent.name}
							</Link>
							{agent.description && (
								<span className="block truncate text-xs text-ink-3">{agent.description}</span>
							)}
						</Td>
						<Td>
							<StatusBadge status={agent.status} />
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
