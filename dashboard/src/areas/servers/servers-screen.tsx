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
import { type ServerSummary, serversQuery } from './queries.ts'
import { RegisterDialog } from './register-dialog.tsx'

const route = getRouteApi('/_app/servers/')

/** Which servers do we have, and do they work? */
export function ServersScreen() {
	const { q, register, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const canRegister = useCan('admin')
	const { data, error, isPending, refetch } = useQuery({
		...serversQuery({ ...(q && { q }), page, limit: 50 }),
		refetchInterval: 15_000,
	})
	const openDialog = () => void navigate({ search: (old) => ({ ...old, register: true }) })
	const registerButton = (
		<Button variant="primary" icon="plus" disabled={!canRegister} onClick={openDialog}>
			Register server
		</Button>
	)
	return (
		<Page
			title="MCP servers"
			description="Agents reach these servers through Signalbox, and only with the access that you grant."
			actions={registerButton}
		>
			<RoleHint needs="admin" what="register servers" />
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
				) : data.mcp_servers.length === 0 ? (
					<Empty
						icon="server"
						title={q ? `No server is named like “${q}”` : 'No server yet'}
						action={!q && registerButton}
					>
						{q
							? 'Try a shorter part of the name.'
							: 'Register an MCP server by its URL. It is checked at once: you see its health and its tools.'}
					</Empty>
				) : (
					<ServerTable servers={data.mcp_servers} />
				)}
			</Panel>
			{data && (
				<Pager
					pagination={data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
			<RegisterDialog open={register === true} onClose={() => void navigate({ search: q ? { q } : {} })} />
		</Page>
	)
}

function ServerTable({ servers }: { servers: readonly ServerSummary[] }) {
	return (
		<Table label="MCP servers">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Health</Th>
					<Th>Address</Th>
					<Th>Transport</Th>
					<Th right>Agents</Th>
					<Th right>Checked</Th>
				</tr>
			</thead>
			<tbody>
				{servers.map((server) => (
					<Row key={server.id}>
						<Td className="max-w-64">
							<Link
								to="/servers/$serverId"
								params={{ serverId: server.id }}
								className="block truncate font-medium hover:underline"
							>
								{server.name}
							</Link>
							{server.slug !== server.name && (
								<span className="block truncate font-mono text-xs text-ink-3">{server.slug}</span>
							)}
						</Td>
						<Td>
							<StatusBadge status={server.status === 'active' ? server.health_status : server.status} />
						</Td>
						<Td className="max-w-80 truncate font-mono text-xs text-ink-2" title={server.endpoint_url}>
							{server.endpoint_url}
						</Td>
						<Td className="text-ink-2">{transportNames[server.transport_type]}</Td>
						<Td right>{server.agent_access_count}</Td>
						<Td right className="text-ink-2">
							<Ago at={server.last_health_check} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

const transportNames = { http: 'Streamable HTTP', sse: 'HTTP+SSE', stdio: 'stdio' }
