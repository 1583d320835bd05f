import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeShown } from '../../api.ts'
import { CheckLine } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { useCan } from '../identity/session.ts'
import { PricesField } from './prices-field.tsx'
import { type Connection, connectionsQuery, hasOtherVendors } from './queries.ts'
import { SecretFields } from './secret-fields.tsx'
import { emptySecret, secretToSend } from './typed-secret.ts'

/** Changes a connection; its name and its provider stay. */
export function ChangeConnectionDialog({ connection, onClose }: { connection: Connection; onClose(): void }) {
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Change ${connection.name}`}
			description="Applies to the next call. A new key is encrypted immediately and never shown again."
		>
			<ConnectionForm connection={connection} onClose={onClose} />
		</Dialog>
	)
}

function ConnectionForm({ connection, onClose }: { connection: Connection; onClose(): void }) {
	const { id, provider, status } = connection
	const canChange = useCan('provider-keys:write')
	const queries = useQueryClient()
	const [replacesKey, setReplacesKey] = useState(status === 'secret_missing')
	const [secret, setSecret] = useState(emptySecret)
	const { base_url, priced_as, record_bodies, inject_usage } = connection
	const edited = useDraft({ base_url, priced_as, record_bodies, inject_usage })
	const { draft, changes } = edited
	const set = (change: typeof changes) => edited.setDraft({ ...draft, ...change })
	const isMoved = changes.base_url !== undefined
	const save = useSave({
		isNew: false,
		send: async () => {
			const body = { ...changes, ...(replacesKey && secretToSend(provider, secret)) }
			return changeShown('/v1/provider-keys/{id}', { id }, connection, body)
		},
		refresh: () => queries.invalidateQueries({ queryKey: connectionsQuery.queryKey }),
		onSaved: onClose,
	})
	return (
		<EditForm
			what="connection"
			isNew={false}
			mayEdit={canChange}
			edited={edited}
			isComplete={replacesKey || edited.isChanged}
			save={save}
			onSave={() => save.mutate(undefined)}
			onCancel={onClose}
		>
			<Field
				label="Base URL"
				hint={
					isMoved && !replacesKey
						? 'The stored key is erased if scheme, host or port change. Replace it here, too.'
						: 'Where calls are sent'
				}
			>
				{(field) => (
					<Input
						{...field}
						type="url"
						required
						value={draft.base_url}
						onChange={(event) => set({ base_url: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			{hasOtherVendors(provider) && (
				<PricesField value={draft.priced_as} onChange={(next) => set({ priced_as: next })} />
			)}
			<div>
				<CheckLine
					label="Record messages"
					checked={draft.record_bodies}
					onChange={(on) => set({ record_bodies: on })}
				>
					Record messages, redacted
				</CheckLine>
				<CheckLine
					label="Request usage in streams"
					checked={draft.inject_usage}
					onChange={(on) => set({ inject_usage: on })}
				>
					Request usage in streams whose client does not
				</CheckLine>
				<CheckLine label="Replace the key" checked={replacesKey} onChange={setReplacesKey}>
					Replace the key
				</CheckLine>
			</div>
			{replacesKey && <SecretFields provider={provider} typed={secret} onChange={setSecret} />}
		</EditForm>
	)
}
