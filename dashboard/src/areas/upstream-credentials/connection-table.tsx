import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { useCan, useMe } from '../identity/session.ts'
import { membersQuery } from '../workspace/queries.ts'
import { type UpstreamConnection, useCredentials } from './queries.ts'

interface ConnectionTableProps {
	serverId: string
	connections: readonly UpstreamConnection[]
}

/** One row for each token that Signalbox has for a server. */
export function ConnectionTable({ serverId, connections }: ConnectionTableProps) {
	const [ending, setEnding] = useState<UpstreamConnection | null>(null)
	const { disconnect } = useCredentials(serverId)
	const nameOf = useOwnerNames()
	return (
		<>
			<Table label="Connections">
				<thead>
					<tr>
						<Th>Token of</Th>
						<Th>State</Th>
						<Th>Given by</Th>
						<Th right>Connected</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{connections.map((connection) => (
						<Row key={connection.id}>
							<Td className="max-w-56 truncate font-medium">{nameOf(connection)}</Td>
							<Td>
								<State connection={connection} />
							</Td>
							<Td className="max-w-64 truncate text-ink-2" title={connection.issuer}>
								{hostOf(connection.issuer)}
								{connection.scope && (
									<span className="block truncate font-mono text-xs text-ink-3">{connection.scope}</span>
								)}
							</Td>
							<Td right className="text-ink-2">
								<Ago at={connection.created_at} />
							</Td>
							<Td right>
								<Button
									small
									variant="danger"
									aria-label={`Disconnect ${nameOf(connection)}`}
									onClick={() => setEnding(connection)}
								>
									Disconnect
								</Button>
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<Confirm
				open={ending !== null}
				onClose={() => setEnding(null)}
				title={`Disconnect ${ending ? nameOf(ending) : ''}?`}
				text="The tokens are deleted here immediately and, where possible, revoked at the authorization server. Calls that need them are refused until someone connects again."
				action="Disconnect"
				run={() => (ending ? disconnect.mutateAsync(ending.id) : Promise.resolve())}
			/>
		</>
	)
}

function State({ connection: { status, expires_at } }: { connection: UpstreamConnection }) {
	if (status === 'needs_consent') return <Badge tone="warn">needs consent again</Badge>
	return (
		<span className="flex flex-wrap items-center gap-x-2">
			<Badge tone="ok">connected</Badge>
			{expires_at && (
				<span className="text-xs text-ink-3">
					renewed <Until at={expires_at} />
				</span>
			)}
		</span>
	)
}

/** Names of agents and people by the ids of owners; an unknown owner is shown by its kind. */
function useOwnerNames(): (connection: UpstreamConnection) => string {
	const { user, workspace } = useMe()
	const seesOthers = useCan('servers:write')
	const { data: agents } = useQuery(allAgentsQuery)
	const { data: people } = useQuery({ ...membersQuery(workspace.id, { page: 1 }), enabled: seesOthers })
	return ({ owner, owner_id }) => {
		if (owner === 'workspace') return 'The workspace'
		if (owner === 'agent') return agents?.agents.find(({ uuid }) => uuid === owner_id)?.name ?? 'An agent'
		if (owner_id === user.id) return 'You'
		return people?.members.find(({ user_id }) => user_id === owner_id)?.email ?? 'Another person'
	}
}

function hostOf(issuer: string): string {
	return URL.parse(issuer)?.host ?? issuer
}
