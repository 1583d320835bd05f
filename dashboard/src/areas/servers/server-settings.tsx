import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Switch } from '../../ui/controls.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { refreshServers, type Server } from './queries.ts'

type Change = { name?: string; description?: string; url?: string; status?: 'active' | 'inactive' }

export function ServerSettings({ server }: { server: Server }) {
	const queries = useQueryClient()
	const isAdmin = useCan('admin')
	const change = useMutation({
		mutationFn: (body: Change) =>
			take(api.PATCH('/v1/mcp/servers/{id}', { params: { path: { id: server.id } }, body })),
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	return (
		<div className="grid gap-4">
			<RoleHint needs="admin" what="change a server" />
			<Panel title="Use">
				<div className="flex items-center justify-between gap-4">
					<p className="text-ink-2">
						{server.status === 'active'
							? 'Agents with access can call this server.'
							: 'Every call to this server is refused.'}
					</p>
					<Switch
						label="Server is in use"
						disabled={!isAdmin}
						checked={server.status === 'active'}
						onChange={(on) => change.mutate({ status: on ? 'active' : 'inactive' })}
					/>
				</div>
			</Panel>
			<Details server={server} disabled={!isAdmin} busy={change.isPending} onSave={change.mutate} />
			{change.error && <InlineError error={change.error} />}
			<DeleteServer server={server} disabled={!isAdmin} />
		</div>
	)
}

function Details({
	server,
	disabled,
	busy,
	onSave,
}: {
	server: Server
	disabled: boolean
	busy: boolean
	onSave(change: Change): void
}) {
	const [name, setName] = useState(server.name)
	const [description, setDescription] = useState(server.description)
	const [url, setUrl] = useState(server.endpoint_url)
	const change: Change = {
		...(name !== server.name && { name }),
		...(description !== server.description && { description }),
		...(url !== server.endpoint_url && { url }),
	}
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSave(change)
	}
	return (
		<Panel title="Details">
			<form onSubmit={submit} className="grid max-w-lg gap-4">
				<Field label="Name">
					{(field) => (
						<Input
							{...field}
							required
							disabled={disabled}
							value={name}
							onChange={(event) => setName(event.target.value)}
						/>
					)}
				</Field>
				<Field label="Description" optional>
					{(field) => (
						<Input
							{...field}
							maxLength={500}
							disabled={disabled}
							value={description}
							onChange={(event) => setDescription(event.target.value)}
						/>
					)}
				</Field>
				<Field label="URL" hint="Another origin erases the stored headers.">
					{(field) => (
						<Input
							{...field}
							type="url"
							required
							disabled={disabled}
							className="font-mono"
							value={url}
							onChange={(event) => setUrl(event.target.value)}
						/>
					)}
				</Field>
				<Button
					type="submit"
					variant="primary"
					className="justify-self-start"
					busy={busy}
					disabled={disabled || Object.keys(change).length === 0}
				>
					Save
				</Button>
			</form>
		</Panel>
	)
}

function DeleteServer({ server, disabled }: { server: Server; disabled: boolean }) {
	const [open, setOpen] = useState(false)
	const queries = useQueryClient()
	const navigate = useNavigate()
	const agents = server.agent_access.length
	const remove = async () => {
		await take(
			api.DELETE('/v1/mcp/servers/{id}', { params: { path: { id: server.id }, query: { force: true } } }),
		)
		await navigate({ to: '/servers' })
		await refreshServers(queries)
	}
	return (
		<Panel title="Delete">
			<div className="flex flex-wrap items-center justify-between gap-4">
				<p className="text-ink-2">What it did stays recorded.</p>
				<Button variant="danger" icon="trash" disabled={disabled} onClick={() => setOpen(true)}>
					Delete server
				</Button>
			</div>
			<Confirm
				open={open}
				onClose={() => setOpen(false)}
				title={`Delete ${server.name}?`}
				text={
					agents === 0
						? 'No agent has access to it.'
						: `${agents} ${agents === 1 ? 'agent loses its' : 'agents lose their'} access at once.`
				}
				action="Delete server"
				typedName={server.name}
				run={remove}
			/>
		</Panel>
	)
}
