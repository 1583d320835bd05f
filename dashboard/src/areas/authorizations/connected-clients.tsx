import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'

type ConnectedClient = Schemas['Authorization']

const clientsQuery = queryOptions({
	queryKey: ['authorizations'],
	queryFn: () =>
		unwrap(api.GET('/v1/authorizations', { params: { query: { status: 'active', limit: 100 } } })),
	refetchInterval: 15_000,
})

/** Programs that act for people by OAuth: one's own, or for admins everybody's. */
export function ConnectedClients() {
	const { data, error, refetch } = useQuery(clientsQuery)
	return (
		<Panel title="Connected clients" flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={2} />
			) : data.authorizations.length === 0 ? (
				<div className="flex flex-wrap items-center gap-x-2 p-4 text-ink-2">
					No client acts for you. A client that supports OAuth, such as an assistant, connects at this
					address:
					<CopyText text={`${baseUrl}/mcp`} />
				</div>
			) : (
				<ClientTable clients={data.authorizations} />
			)}
		</Panel>
	)
}

function ClientTable({ clients }: { clients: readonly ConnectedClient[] }) {
	const [ending, setEnding] = useState<ConnectedClient | null>(null)
	const queries = useQueryClient()
	const seesAll = useCan('members:write')
	const end = async ({ id, client }: ConnectedClient) => {
		await unwrap(api.DELETE('/v1/authorizations/{id}', { params: { path: { id } } }))
		toast(`${client.name} is disconnected`)
		await queries.invalidateQueries({ queryKey: clientsQuery.queryKey })
	}
	return (
		<>
			<p className="px-4 pt-3 pb-1 text-ink-2">
				{seesAll ? 'Those of everybody in this workspace.' : 'They act for you.'} Each may use what its agent
				is granted, and nothing else.
			</p>
			<Table label="Connected clients">
				<thead>
					<tr>
						<Th>Client</Th>
						<Th>Acts as</Th>
						<Th>For</Th>
						<Th right>Last used</Th>
						<Th right>Asks again</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{clients.map((client) => (
						<ClientRow key={client.id} client={client} onEnd={() => setEnding(client)} />
					))}
				</tbody>
			</Table>
			<Confirm
				open={ending !== null}
				onClose={() => setEnding(null)}
				title={`Disconnect ${ending?.client.name ?? ''}?`}
				text="Its tokens stop working immediately, including running streams. It needs a new consent to use Signalbox again."
				action="Disconnect"
				run={() => (ending ? end(ending) : Promise.resolve())}
			/>
		</>
	)
}

function ClientRow({
	client: { client, agent, user, resource, last_used_at, expires_at },
	onEnd,
}: {
	client: ConnectedClient
	onEnd(): void
}) {
	return (
		<Row>
			<Td className="max-w-64">
				<span className="block truncate font-medium">{showDirections(client.name)}</span>
				<span className="block truncate font-mono text-xs text-ink-3" title={resource}>
					{URL.parse(resource)?.pathname ?? resource}
				</span>
			</Td>
			<Td className="text-ink-2">{showDirections(agent.name)}</Td>
			<Td className="text-ink-2">{user.email}</Td>
			<Td right className="text-ink-2">
				<Ago at={last_used_at} />
			</Td>
			<Td right className="text-ink-2">
				<Until at={expires_at} />
			</Td>
			<Td right>
				<Button small variant="danger" aria-label={`Disconnect ${client.name}`} onClick={onEnd}>
					Disconnect
				</Button>
			</Td>
		</Row>
	)
}
