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
import { PendingDefinitions } from '../tool-definitions/pending-definitions.tsx'
import { type ServerSummary, serversQuery } from './queries.ts'
import { RegisterDialog } from './register-dialog.tsx'
import { transportNames } from './transport-names.ts'

const route = getRouteApi('/_app/servers/')

/** Which servers are registered, and do they work? */
export function ServersScreen() {
	const { q, register, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const query = useQuery({
		...serversQuery({ ...(q && { q }), page, limit: 50 }),
		refetchInterval: 15_000,
	})
	return (
		<ListScreen
			title="MCP servers"
			description="Agents reach these servers through Signalbox, and only with the access that you grant."
			action={
				<Button
					variant="primary"
					icon="plus"
					disabled={!useCan('servers:write')}
					onClick={() => void navigate({ search: (old) => ({ ...old, register: true }) })}
				>
					Register server
				</Button>
			}
			hint={
				<>
					<RoleHint needs="servers:write" what="register servers" />
					<PendingDefinitions />
				</>
			}
			query={query}
			q={q}
			onSearch={(text) => void navigate({ search: text ? { q: text } : {}, replace: true })}
			onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
			empty={{
				icon: 'server',
				what: 'server',
				text: 'Register an MCP server by its URL. It is checked at once: you see its health and its tools.',
			}}
			table={({ mcp_servers }) => (mcp_servers.length > 0 ? <ServerTable servers={mcp_servers} /> : null)}
		>
			<RegisterDialog open={register === true} onClose={() => void navigate({ search: q ? { q } : {} })} />
		</ListScreen>
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
								{showDirections(server.name)}
							</Link>
							{server.slug !== server.name && (
								<span className="block truncate font-mono text-xs text-ink-3">{server.slug}</span>
							)}
						</Td>
						<Td>
							<StatusBadge status={server.status === 'active' ? server.health_status : server.status} />
							{server.health_error && (
								<span className="block max-w-64 truncate text-xs text-ink-3" title={server.health_error}>
									{server.health_error}
								</span>
							)}
						</Td>
						<Td className="max-w-80 truncate font-mono text-xs text-ink-2" title={placeOf(server)}>
							{placeOf(server)}
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

/** Its location: the URL, or the command of a program. */
function placeOf({ command, args, endpoint_url }: ServerSummary): string {
	return command === null ? endpoint_url : [command, ...args].join(' ')
}
