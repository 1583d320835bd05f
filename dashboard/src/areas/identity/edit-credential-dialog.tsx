import { agentKeyScopes, type Scope } from '@signalbox/contract/access'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { formatDate } from '../../lib/format.ts'
import { parseLines } from '../../lib/parse-lines.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { AddressField } from './address-field.tsx'
import {
	type Credential,
	type CredentialChange,
	type CredentialKind,
	credentialApi,
} from './credential-api.ts'
import { DisconnectField } from './disconnect-field.tsx'
import { expiries, toExpiry } from './expiry.ts'
import { ScopeChoice } from './scope-choice.tsx'

interface EditCredentialDialogProps {
	credential: Credential
	what: CredentialKind
	refreshKey: QueryKey
	onClose(): void
}

/** Changes the settings of a credential; its secret stays the same. */
export function EditCredentialDialog({ credential, what, refreshKey, onClose }: EditCredentialDialogProps) {
	const queries = useQueryClient()
	const change = useMutation({
		mutationFn: (body: CredentialChange) => credentialApi[what].change(credential.id, body),
		onSuccess: async () => {
			toast('Saved')
			onClose()
			await queries.invalidateQueries({ queryKey: refreshKey })
		},
	})
	return (
		<Dialog
			open
			onClose={onClose}
			wide={credential.scopes !== undefined}
			title={`Change ${credential.name}`}
			description="Takes effect immediately. The secret is unchanged."
		>
			<EditForm
				credential={credential}
				busy={change.isPending}
				error={change.error}
				onSubmit={change.mutate}
				onCancel={onClose}
			/>
		</Dialog>
	)
}

interface EditFormProps {
	credential: Credential
	busy: boolean
	error: unknown
	onSubmit(change: CredentialChange): void
	onCancel(): void
}

const asNow = 'now'

function EditForm({ credential, busy, error, onSubmit, onCancel }: EditFormProps) {
	const { scopes, agent_uuid, expires_at, allowed_addresses } = credential
	const [name, setName] = useState(credential.name)
	const [days, setDays] = useState<string>(asNow)
	const [addresses, setAddresses] = useState((allowed_addresses ?? []).join('\n'))
	const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(scopes))
	const [onDisconnect, setOnDisconnect] = useState(credential.on_disconnect)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		const allowed = parseLines(addresses)
		onSubmit({
			name: name.trim(),
			expires_at: days === asNow ? expires_at : toExpiry(days, Date.now()),
			allowed_addresses: allowed.length === 0 ? null : allowed,
			...(scopes && { scopes: [...chosen] }),
			...(onDisconnect && { on_disconnect: onDisconnect }),
		})
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameField value={name} onChange={setName} />
			<Field label="Expires">
				{(field) => (
					<Select {...field} value={days} onChange={(event) => setDays(event.target.value)}>
						<option value={asNow}>
							{expires_at ? `On ${formatDate(expires_at)}, as now` : 'Never, as now'}
						</option>
						{expiries
							.filter(({ value }) => value !== '' || expires_at !== null)
							.map(({ value, label }) => (
								<option key={value} value={value}>
									{label}
								</option>
							))}
					</Select>
				)}
			</Field>
			<AddressField value={addresses} onChange={setAddresses} />
			{onDisconnect && <DisconnectField value={onDisconnect} onChange={setOnDisconnect} />}
			{scopes && (
				<ScopeChoice {...(agent_uuid && { offered: agentKeyScopes })} chosen={chosen} onChange={setChosen} />
			)}
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button
					type="submit"
					variant="primary"
					busy={busy}
					disabled={name.trim() === '' || (scopes !== undefined && chosen.size === 0)}
				>
					Save
				</Button>
			</DialogActions>
		</form>
	)
}
