import { agentKeyScopes, type Scope } from '@signalbox/contract/access'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { serverNowMs } from '../../lib/clock.ts'
import { formatDate } from '../../lib/format.ts'
import { parseLines } from '../../lib/parse-lines.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
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
		mutationFn: (body: Partial<CredentialChange>) => credentialApi[what].change(credential, body),
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
	onSubmit(change: Partial<CredentialChange>): void
	onCancel(): void
}

const asNow = 'now'

interface EditDraft {
	name: string
	/** `now`, or the length of a new lifetime. */
	days: string
	addresses: string
	scopes: Scope[]
	onDisconnect: Credential['on_disconnect']
}

/** Only what was changed: a scope or an address that somebody else has removed meanwhile must not come back. */
function changeOf({ name, days, addresses, scopes, onDisconnect }: Partial<EditDraft>) {
	const allowed = addresses === undefined ? undefined : parseLines(addresses)
	return {
		...(name !== undefined && { name: name.trim() }),
		...(days !== undefined && { expires_at: toExpiry(days, serverNowMs()) }),
		...(allowed && { allowed_addresses: allowed.length === 0 ? null : allowed }),
		...(scopes && { scopes }),
		...(onDisconnect && { on_disconnect: onDisconnect }),
	}
}

function EditForm({ credential, busy, error, onSubmit, onCancel }: EditFormProps) {
	const { scopes, agent_uuid, expires_at, allowed_addresses } = credential
	const edited = useDraft<EditDraft>({
		...{ name: credential.name, days: asNow, onDisconnect: credential.on_disconnect },
		addresses: (allowed_addresses ?? []).join('\n'),
		scopes: scopes?.toSorted() ?? [],
	})
	const { draft, changes } = edited
	const { name, days, addresses, onDisconnect } = draft
	const set = (change: typeof changes) => edited.setDraft({ ...draft, ...change })
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit(changeOf(changes))
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameField value={name} onChange={(next) => set({ name: next })} />
			<Field label="Expires">
				{(field) => (
					<Select {...field} value={days} onChange={(event) => set({ days: event.target.value })}>
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
			<AddressField value={addresses} onChange={(next) => set({ addresses: next })} />
			{onDisconnect && (
				<DisconnectField value={onDisconnect} onChange={(next) => set({ onDisconnect: next })} />
			)}
			{scopes && (
				<ScopeChoice
					{...(agent_uuid && { offered: agentKeyScopes })}
					chosen={new Set(draft.scopes)}
					onChange={(next) => set({ scopes: [...next].toSorted() })}
				/>
			)}
			{!busy && <OvertakenNotice edited={edited} />}
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button
					type="submit"
					variant="primary"
					busy={busy}
					disabled={
						!edited.isChanged || name.trim() === '' || (scopes !== undefined && draft.scopes.length === 0)
					}
				>
					Save
				</Button>
			</DialogActions>
		</form>
	)
}
