import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'

const clientsQuery = queryOptions({
	queryKey: ['authorizations'],
	queryFn: () => take(api.GET('/v1/authorizations', { params: { query: { status: 'active', limit: 100 } } })),
})

/** Programs that act for people by OAuth: one's own, for admins everybody's. */
export function ConnectedClients() {
	const { data, error, refetch } = useQuery(clientsQuery)
	if (data?.authorizations.length === 0) return null
	return (
		<Panel title="Connected clients" flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={2} />
			) : (
				<Table label="Connected clients">
					<thead>
						<tr>
							<Th>Client</Th>
							<Th>Acts as</Th>
							<Th>For</Th>
							<Th right>Last used</Th>
							<Th right>
								<span className="sr-only">Actions</span>
							</Th>
						</tr>
					</thead>
					<tbody>
						{data.authorizations.map((client) => (
							<ClientRow key={client.id} client={client} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}

function ClientRow({
	client: { id, client, agent, user, last_used_at },
}: {
	client: Schemas['Authorization']
}) {
	const queries = useQueryClient()
	const end = async () => {
		await take(api.DELETE('/v1/authorizations/{id}', { params: { path: { id } } }))
		toast(`${client.name} is disconnected`)
		await queries.invalidateQueries({ queryKey: clientsQuery.queryKey })
	}
	return (
		<Row>
			<Td className="font-medium">{client.name}</Td>
			<Td className="text-ink-2">{agent.name}</Td>
			<Td className="text-ink-2">{user.email}</Td>
			<Td right className="text-ink-2">
				{last_used_at ? <Ago at={last_used_at} /> : 'never'}
			</Td>
			<Td right>
				<Button
					small
					variant="danger"
					aria-label={`Disconnect ${client.name}`}
					onClick={() => void end().catch(() => toast('The client could not be disconnected'))}
				>
					Disconnect
				</Button>
			</Td>
		</Row>
	)
}
