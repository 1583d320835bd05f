import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { ListContent } from '../../ui/list-screen.tsx'
import { Panel } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { AddConnectionDialog } from './add-connection-dialog.tsx'
import { ChangeConnectionDialog } from './change-connection-dialog.tsx'
import { clientBaseUrl } from './client-base-url.ts'
import { type Connection, connectionsQuery, providerNames, vendorNames } from './queries.ts'

const screen = getRouteApi('/_app/connections')

/** Through which provider accounts can models be called? */
export function ConnectionsTab() {
	const [isAdding, setIsAdding] = useState(false)
	const canChange = useCan('provider-keys:write')
	const { open } = screen.useSearch()
	const navigate = screen.useNavigate()
	const query = useQuery(connectionsQuery)
	const opened = query.data?.provider_keys.find(({ id }) => id === open)
	const addButton = (
		<Button variant="primary" icon="plus" disabled={!canChange} onClick={() => setIsAdding(true)}>
			Add connection
		</Button>
	)
	return (
		<>
			<RoleHint needs="provider-keys:write" what="change connections" />
			<Panel title="Connections" actions={addButton} flush>
				<ListContent
					query={query}
					action={addButton}
					empty={{
						icon: 'model',
						what: 'connection',
						text: 'Add one, then point the base URL of any client of its provider at it: every call is recorded with its tokens and cost.',
					}}
					table={({ provider_keys }) =>
						provider_keys.length > 0 ? (
							<ConnectionTable connections={provider_keys} canChange={canChange} />
						) : null
					}
				/>
			</Panel>
			<AddConnectionDialog open={isAdding} onClose={() => setIsAdding(false)} />
			{opened && (
				<ChangeConnectionDialog
					key={opened.id}
					connection={opened}
					onClose={() => void navigate({ search: {} })}
				/>
			)}
		</>
	)
}

/** With whose prices apply, where that is another than the kind says. */
function describeProvider({ provider, vendor }: Connection): string {
	const kind = providerNames[provider]
	return vendor === provider ? kind : `${kind}, prices of ${vendorNames[vendor]}`
}

function ConnectionTable({
	connections,
	canChange,
}: {
	connections: readonly Connection[]
	canChange: boolean
}) {
	const [deleting, setDeleting] = useState<Connection | null>(null)
	const queries = useQueryClient()
	const remove = async (connection: Connection) => {
		await unwrap(api.DELETE('/v1/provider-keys/{id}', { params: { path: { id: connection.id } } }))
		toast(`${connection.name} is deleted`)
		await queries.invalidateQueries({ queryKey: connectionsQuery.queryKey })
	}
	return (
		<>
			<Table label="Model connections">
				<thead>
					<tr>
						<Th>Name</Th>
						<Th>Provider</Th>
						<Th>Status</Th>
						<Th>Base URL for clients</Th>
						<Th>Key</Th>
						<Th right>Changed</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{connections.map((connection) => (
						<Row key={connection.id}>
							<Td>
								<Link
									to="/connections"
									search={{ open: connection.id }}
									className="inline-flex min-h-6 items-center font-medium hover:underline"
								>
									{connection.name}
								</Link>
							</Td>
							<Td className="max-w-64">
								<span className="block">{describeProvider(connection)}</span>
								<span className="block truncate font-mono text-xs text-ink-3" title={connection.base_url}>
									{connection.base_url}
								</span>
							</Td>
							<Td>
								<StatusBadge status={connection.status} />
							</Td>
							<Td>
								<CopyText text={clientBaseUrl(connection)} />
							</Td>
							<Td className="font-mono text-xs whitespace-nowrap text-ink-2">
								{connection.last4 ? `…${connection.last4}` : '–'}
							</Td>
							<Td right className="text-ink-2">
								<Ago at={connection.updated_at} />
							</Td>
							<Td right>
								<IconButton
									icon="trash"
									label={`Delete ${connection.name}`}
									disabled={!canChange}
									onClick={() => setDeleting(connection)}
								/>
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<Confirm
				open={deleting !== null}
				onClose={() => setDeleting(null)}
				title={`Delete ${deleting?.name ?? ''}?`}
				text="Calls through it are refused immediately, and its stored key is erased."
				action="Delete connection"
				run={() => (deleting ? remove(deleting) : Promise.resolve())}
			/>
		</>
	)
}
