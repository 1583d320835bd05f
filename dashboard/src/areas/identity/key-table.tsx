import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago, Expiry } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Credential, type CredentialKind, credentialApi } from './credential-api.ts'
import { EditCredentialDialog } from './edit-credential-dialog.tsx'
import { RotateCredentialDialog } from './rotate-credential-dialog.tsx'
import { RotationState } from './rotation-state.tsx'
import { useCan } from './session.ts'

type Action = 'edit' | 'rotate' | 'revoke'

interface Chosen {
	action: Action
	credential: Credential
}

interface KeyTableProps {
	keys: readonly Credential[]
	what?: CredentialKind
	refreshKey: QueryKey
}

/** Keys or tokens; of their secrets only the first and last characters are known. */
export function KeyTable({ keys, what = 'key', refreshKey }: KeyTableProps) {
	const [chosen, setChosen] = useState<Chosen | null>(null)
	const canChange = useCan('keys:write')
	// A list with a filter may no longer have it.
	const now = (chosen: Credential) => keys.find(({ id }) => id === chosen.id) ?? chosen
	return (
		<>
			<Table label={what === 'key' ? 'Keys' : 'Tokens'}>
				<thead>
					<tr>
						<Th>Name</Th>
						<Th>Status</Th>
						<Th>Secret</Th>
						<Th>Scopes</Th>
						<Th right>Last used</Th>
						<Th right>Expires</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{keys.map((key) => (
						<Row key={key.id}>
							<Td className="max-w-56 min-w-32 truncate font-medium">
								{what === 'key' ? <CallsOfKey credential={key} /> : key.name}
							</Td>
							<Td>
								<StatusBadge status={key.status} />
							</Td>
							<Td className="font-mono text-xs whitespace-nowrap text-ink-2">
								{key.prefix}…{key.last4}
								<span className="font-sans">
									<RotationState credential={key} what={what} refreshKey={refreshKey} disabled={!canChange} />
								</span>
							</Td>
							<Td className="max-w-72">
								<KeyPower credential={key} />
							</Td>
							<Td right className="text-ink-2">
								<Ago at={key.last_used_at} />
							</Td>
							<Td right className="whitespace-nowrap text-ink-2">
								<Expiry at={key.expires_at} />
							</Td>
							<Td right>
								{key.status === 'active' && (
									<Actions
										name={key.name}
										disabled={!canChange}
										onChoose={(action) => setChosen({ action, credential: key })}
									/>
								)}
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<ActionDialog
				chosen={chosen && { ...chosen, credential: now(chosen.credential) }}
				what={what}
				refreshKey={refreshKey}
				onClose={() => setChosen(null)}
			/>
		</>
	)
}

/** A link to the calls that used it. */
function CallsOfKey({ credential: { id, name } }: { credential: Credential }) {
	return (
		<Link
			to="/traces"
			search={{ view: 'calls', calls: 'all', credential_id: id }}
			aria-label={`${name}: its calls`}
			className="hover:underline"
		>
			{name}
		</Link>
	)
}

interface ActionsProps {
	name: string
	disabled: boolean
	onChoose(action: Action): void
}

function Actions({ name, disabled, onChoose }: ActionsProps) {
	return (
		<Menu trigger={<IconButton icon="more" label={`Actions for ${name}`} disabled={disabled} />}>
			<MenuItem icon="tool" onSelect={() => onChoose('edit')}>
				Change
			</MenuItem>
			<MenuItem icon="refresh" onSelect={() => onChoose('rotate')}>
				Rotate
			</MenuItem>
			<MenuLine />
			<MenuItem icon="trash" danger onSelect={() => onChoose('revoke')}>
				Revoke
			</MenuItem>
		</Menu>
	)
}

interface ActionDialogProps {
	chosen: Chosen | null
	what: CredentialKind
	refreshKey: QueryKey
	onClose(): void
}

function ActionDialog({ chosen, what, refreshKey, onClose }: ActionDialogProps) {
	const queries = useQueryClient()
	if (chosen === null) return null
	const { action, credential } = chosen
	if (action === 'edit') return <EditCredentialDialog {...{ credential, what, refreshKey, onClose }} />
	if (action === 'rotate') return <RotateCredentialDialog {...{ credential, what, refreshKey, onClose }} />
	const revoke = async () => {
		await credentialApi[what].revoke(credential.id)
		toast(`The ${what} no longer works`)
		await queries.invalidateQueries({ queryKey: refreshKey })
	}
	return (
		<Confirm
			open
			onClose={onClose}
			title={`Revoke ${credential.name}?`}
			text={`Whatever uses this ${what} is refused within a second, running streams included. It cannot be brought back.`}
			action={`Revoke ${what}`}
			run={revoke}
		/>
	)
}

function KeyPower({ credential: { agent_uuid, scopes, allowed_addresses } }: { credential: Credential }) {
	return (
		<>
			{agent_uuid ? (
				<Link
					to="/agents/$agentId"
					params={{ agentId: agent_uuid }}
					className="text-accent underline-offset-2 hover:underline"
				>
					act as its agent
				</Link>
			) : (
				<ScopeText scopes={scopes ?? ['write telemetry']} />
			)}
			{allowed_addresses && (
				<span className="block truncate text-xs text-ink-3" title={allowed_addresses.join(', ')}>
					from {allowed_addresses.join(', ')}
				</span>
			)}
		</>
	)
}

function ScopeText({ scopes }: { scopes: readonly string[] }) {
	return (
		<span className="block truncate text-xs text-ink-2" title={scopes.join(', ')}>
			{scopes.length > 4
				? `${scopes.slice(0, 3).join(', ')} and ${scopes.length - 3} more`
				: scopes.join(', ')}
		</span>
	)
}
