import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Schemas, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from './session.ts'

type Credential = Schemas['IngestToken'] & Partial<Pick<Schemas['Key'], 'scopes' | 'agent_uuid'>>

interface KeyTableProps {
	keys: readonly Credential[]
	what?: 'key' | 'token'
	refreshKey: QueryKey
}

/** Keys or tokens; of their secrets only the first and last characters are known. */
export function KeyTable({ keys, what = 'key', refreshKey }: KeyTableProps) {
	const [revoking, setRevoking] = useState<Credential | null>(null)
	const queries = useQueryClient()
	const isAdmin = useCan('admin')
	const revoke = async (id: string) => {
		const path = { params: { path: { id } } }
		await take(
			what === 'key' ? api.DELETE('/v1/keys/{id}', path) : api.DELETE('/v1/ingest-tokens/{id}', path),
		)
		toast(`The ${what} no longer works`)
		await queries.invalidateQueries({ queryKey: refreshKey })
	}
	return (
		<>
			<Table label={what === 'key' ? 'Keys' : 'Tokens'}>
				<thead>
					<tr>
						<Th>Name</Th>
						<Th>Status</Th>
						<Th>Secret</Th>
						{what === 'key' && <Th>May do</Th>}
						<Th right>Last used</Th>
						<Th right>Expires</Th>
						<Th right>
							<span className="sr-only">Actions</span>
						</Th>
					</tr>
				</thead>
				<tbody>
					{keys.map((key) => (
						<Row key={key.id}>
							<Td className="max-w-56 min-w-32 truncate font-medium">{key.name}</Td>
							<Td>
								<StatusBadge status={key.status} />
							</Td>
							<Td className="font-mono text-xs whitespace-nowrap text-ink-2">
								{key.prefix}…{key.last4}
							</Td>
							{what === 'key' && (
								<Td className="max-w-72">
									<KeyPower credential={key} />
								</Td>
							)}
							<Td right className="text-ink-2">
								<Ago at={key.last_used_at} />
							</Td>
							<Td right className="text-ink-2">
								{key.expires_at
									? new Date(key.expires_at).toLocaleDateString('en-GB', { dateStyle: 'medium' })
									: 'never'}
							</Td>
							<Td right>
								{key.status === 'active' && (
									<Button
										small
										variant="danger"
										disabled={!isAdmin}
										onClick={() => setRevoking(key)}
										aria-label={`Revoke ${key.name}`}
									>
										Revoke
									</Button>
								)}
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<Confirm
				open={revoking !== null}
				onClose={() => setRevoking(null)}
				title={`Revoke ${revoking?.name ?? ''}?`}
				text={`Whatever uses this ${what} is refused within a second, running streams included. It cannot be brought back.`}
				action={`Revoke ${what}`}
				run={() => (revoking ? revoke(revoking.id) : Promise.resolve())}
			/>
		</>
	)
}

function KeyPower({ credential }: { credential: Credential }) {
	if (credential.agent_uuid) {
		return (
			<Link
				to="/agents/$agentId"
				params={{ agentId: credential.agent_uuid }}
				className="text-accent hover:underline"
			>
				act as its agent
			</Link>
		)
	}
	const scopes = credential.scopes ?? []
	return (
		<span className="block truncate text-xs text-ink-2" title={scopes.join(', ')}>
			{scopes.length > 4
				? `${scopes.slice(0, 3).join(', ')} and ${scopes.length - 3} more`
				: scopes.join(', ')}
		</span>
	)
}
