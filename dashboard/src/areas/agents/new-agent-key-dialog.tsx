import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CredentialNameForm } from '../identity/credential-name-form.tsx'
import { DisconnectField, type OnDisconnect } from '../identity/disconnect-field.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { ClientTabs } from './client-tabs.tsx'
import { type Agent, refreshAgents } from './queries.ts'

/** Creates a key, shows it once, and offers the configuration for each client with the key in it. */
export function NewAgentKeyDialog({
	agent,
	open,
	onClose,
}: {
	agent: Agent
	open: boolean
	onClose(): void
}) {
	const queries = useQueryClient()
	const [onDisconnect, setOnDisconnect] = useState<OnDisconnect>('abort')
	const create = useMutation({
		mutationFn: (input: { name: string; expires_at: string | null }) => {
			const body = { ...input, on_disconnect: onDisconnect }
			return unwrap(api.POST('/v1/agents/{id}/keys', { params: { path: { id: agent.uuid } }, body }))
		},
		onSuccess: () => refreshAgents(queries),
		gcTime: 0,
	})
	const close = () => {
		onClose()
		create.reset()
		setOnDisconnect('abort')
	}
	const key = create.data?.key
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={key !== undefined}
			wide={key !== undefined}
			title={key ? `Key for ${agent.name}` : `Create a key for ${agent.name}`}
		>
			{key ? (
				<SecretOnce what="key" secret={key} onDone={close}>
					<h3 className="mb-2 font-semibold">Connect a client</h3>
					<ClientTabs agentId={agent.uuid} agentKey={key} />
				</SecretOnce>
			) : (
				<CredentialNameForm
					action="Create key"
					placeholder="laptop"
					busy={create.isPending}
					error={create.error}
					onSubmit={create.mutate}
					onCancel={close}
				>
					<DisconnectField value={onDisconnect} onChange={setOnDisconnect} />
				</CredentialNameForm>
			)}
		</Dialog>
	)
}
