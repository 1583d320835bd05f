import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import type { Server } from '../servers/queries.ts'
import { ConnectionTable } from './connection-table.tsx'
import { type UpstreamAuth, upstreamConnectionsQuery } from './queries.ts'

interface ConnectionsPanelProps {
	server: Server
	auth: UpstreamAuth
}

/** Whose tokens there are, and a button to connect. */
export function ConnectionsPanel({ server, auth }: ConnectionsPanelProps) {
	const mayConnect = useCan('connections:write')
	if (!mayConnect) return <RoleHint needs="connections:write" what="connect a server" />
	return <Connections server={server} auth={auth} />
}

const missing: Record<UpstreamAuth['owner'], string> = {
	workspace: 'An admin connects it once, for all calls.',
	agent: 'An admin connects it for each agent.',
	user: 'Each person connects it for themselves; a client with OAuth leads them here.',
}

function Connections({ server, auth }: ConnectionsPanelProps) {
	const { data, error, refetch } = useQuery(upstreamConnectionsQuery(server.id))
	return (
		<Panel
			title="Connections"
			actions={
				<ConnectLink server={server} owner={auth.owner} isConnected={data?.connections.length !== 0} />
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={2} />
			) : data.connections.length === 0 ? (
				<Empty icon="link" title="Nobody is connected">
					{missing[auth.owner]} Until then calls are refused with the address of that page.
				</Empty>
			) : (
				<ConnectionTable serverId={server.id} connections={data.connections} />
			)}
		</Panel>
	)
}

interface ConnectLinkProps {
	server: Server
	owner: UpstreamAuth['owner']
	isConnected: boolean
}

function ConnectLink({ server, owner, isConnected }: ConnectLinkProps) {
	const canChange = useCan('servers:write')
	if (owner === 'agent') return canChange ? <ConnectForAgent server={server} /> : null
	if (owner === 'workspace' && !canChange) return null
	const again = owner === 'workspace' && isConnected
	return (
		<Link to="/connect/$serverId" params={{ serverId: server.id }} className={buttonClass('secondary', true)}>
			{owner === 'user' ? 'Connect your account' : again ? 'Reconnect' : 'Connect'}
		</Link>
	)
}

function ConnectForAgent({ server }: { server: Server }) {
	const { data } = useQuery(allAgentsQuery)
	const [agent, setAgent] = useState('')
	return (
		<>
			<Select
				aria-label="Agent to connect"
				className="h-7! w-48! text-xs"
				value={agent}
				onChange={(event) => setAgent(event.target.value)}
			>
				<option value="">Choose an agent…</option>
				{data?.agents.map(({ uuid, name }) => (
					<option key={uuid} value={uuid}>
						{name}
					</option>
				))}
			</Select>
			{agent && (
				<Link
					to="/connect/$serverId"
					params={{ serverId: server.id }}
					search={{ agent }}
					className={buttonClass('secondary', true)}
				>
					Connect
				</Link>
			)}
		</>
	)
}
