import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, changeShown, unwrap } from '../../api.ts'
import { Field, Input } from '../../ui/field.tsx'
import { NameFields } from '../../ui/name-fields.tsx'
import { DeletePanel, EnabledPanel, FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { CallLimitsPanel } from './call-limits-panel.tsx'
import { ConfigurationPanel } from './configuration-panel.tsx'
import { GatewayPanel } from './gateway-panel.tsx'
import { refreshServers, type Server } from './queries.ts'

type Change = { name?: string; description?: string; endpoint_url?: string; status?: 'active' | 'inactive' }

export function ServerSettings({ server }: { server: Server }) {
	const queries = useQueryClient()
	const canChange = useCan('servers:write')
	const change = useMutation({
		mutationFn: (body: Change) => changeShown('/v1/mcp/servers/{id}', { id: server.id }, server, body),
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	return (
		<div className="grid gap-4">
			<RoleHint needs="servers:write" what="change a server" />
			<EnabledPanel
				label="Server is in use"
				text={
					server.status === 'active'
						? 'Agents with access can call this server.'
						: 'Every call to this server is refused.'
				}
				enabled={server.status === 'active'}
				disabled={!canChange}
				onChange={(on) => change.mutate({ status: on ? 'active' : 'inactive' })}
			/>
			<Details
				server={server}
				disabled={!canChange}
				busy={change.isPending}
				error={change.error}
				onSave={change.mutate}
			/>
			<ConfigurationPanel server={server} />
			<GatewayPanel server={server} />
			<CallLimitsPanel server={server} />
			<DeleteServer server={server} disabled={!canChange} />
		</div>
	)
}

function Details({
	server,
	disabled,
	busy,
	error,
	onSave,
}: {
	server: Server
	disabled: boolean
	busy: boolean
	error: unknown
	onSave(change: Change, then: { onSuccess(): void }): void
}) {
	const { name, description, endpoint_url } = server
	const edited = useDraft({ name, description, endpoint_url }, `server ${server.id}`)
	const { draft, setDraft } = edited
	return (
		<FormPanel
			title="Details"
			busy={busy}
			edited={edited}
			disabled={disabled}
			error={error}
			onSave={() => onSave(edited.changes, { onSuccess: edited.reset })}
		>
			<NameFields value={draft} onChange={(named) => setDraft({ ...draft, ...named })} disabled={disabled} />
			{server.transport_type === 'stdio' ? (
				<p className="text-ink-3">Its command is under Program.</p>
			) : (
				<Field label="URL" hint="Changing the host clears stored headers.">
					{(field) => (
						<Input
							{...field}
							type="url"
							required
							disabled={disabled}
							className="font-mono"
							value={draft.endpoint_url}
							onChange={(event) => setDraft({ ...draft, endpoint_url: event.target.value })}
						/>
					)}
				</Field>
			)}
		</FormPanel>
	)
}

function DeleteServer({ server, disabled }: { server: Server; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const agents = server.agent_access.length
	const remove = async () => {
		await unwrap(
			api.DELETE('/v1/mcp/servers/{id}', { params: { path: { id: server.id }, query: { force: true } } }),
		)
		await navigate({ to: '/servers' })
		await refreshServers(queries)
	}
	return (
		<DeletePanel
			what="server"
			name={server.name}
			note="Its recorded activity is kept."
			text={
				agents === 0
					? 'No agent has access to it.'
					: `${agents} ${agents === 1 ? 'agent loses its' : 'agents lose their'} access at once.`
			}
			disabled={disabled}
			run={remove}
		/>
	)
}
