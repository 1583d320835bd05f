import { defaultKeyScopes, type Scope } from '@signalbox/contract/access'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { parseLines } from '../../lib/parse-lines.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { AddressField } from './address-field.tsx'
import { CredentialNameForm } from './credential-name-form.tsx'
import { DisconnectField, type OnDisconnect } from './disconnect-field.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { SecretOnce } from './secret-once.tsx'

export function NewKeyDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(defaultKeyScopes))
	const [addresses, setAddresses] = useState('')
	const [onDisconnect, setOnDisconnect] = useState<OnDisconnect>('abort')
	const lines = parseLines(addresses)
	const allowed = lines.length === 0 ? null : lines
	const create = useMutation({
		mutationFn: (input: { name: string; expires_at: string | null }) => {
			const settings = { scopes: [...chosen], allowed_addresses: allowed, on_disconnect: onDisconnect }
			return unwrap(api.POST('/v1/keys', { body: { ...input, ...settings } }))
		},
		onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
		gcTime: 0,
	})
	const close = () => {
		onClose()
		create.reset()
		setChosen(new Set(defaultKeyScopes))
		setAddresses('')
		setOnDisconnect('abort')
	}
	const key = create.data?.key
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={key !== undefined}
			wide
			title={key ? 'New platform key' : 'Create a platform key'}
		>
			{key ? (
				<SecretOnce what="key" secret={key} onDone={close}>
					<CodeBlock
						label="Try it"
						code={`curl ${baseUrl}/v1/mcp/servers \\\n  -H "x-service-api-key: ${key}"`}
					/>
				</SecretOnce>
			) : (
				<CredentialNameForm
					action="Create key"
					placeholder="deploy pipeline"
					busy={create.isPending}
					error={create.error}
					onSubmit={create.mutate}
					onCancel={close}
				>
					<AddressField value={addresses} onChange={setAddresses} />
					<DisconnectField value={onDisconnect} onChange={setOnDisconnect} />
					<ScopeChoice chosen={chosen} onChange={setChosen} />
				</CredentialNameForm>
			)}
		</Dialog>
	)
}
