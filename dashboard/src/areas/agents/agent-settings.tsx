import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type Agent, refreshAgents } from './queries.ts'

export function AgentSettings({ agent }: { agent: Agent }) {
	const queries = useQueryClient()
	const canChange = useCan('member')
	const [name, setName] = useState(agent.name)
	const [description, setDescription] = useState(agent.description)
	const save = useMutation({
		mutationFn: () =>
			take(
				api.PATCH('/v1/agents/{id}', { params: { path: { id: agent.uuid } }, body: { name, description } }),
			),
		onSuccess: () => {
			toast('Saved')
			return refreshAgents(queries)
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate()
	}
	const isChanged = name !== agent.name || description !== agent.description
	return (
		<div className="grid gap-4">
			<RoleHint needs="member" what="change an agent" />
			<Panel title="Details">
				<form onSubmit={submit} className="grid max-w-lg gap-4">
					<Field label="Name">
						{(field) => (
							<Input
								{...field}
								required
								maxLength={100}
								disabled={!canChange}
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
								disabled={!canChange}
								value={description}
								onChange={(event) => setDescription(event.target.value)}
							/>
						)}
					</Field>
					{save.error && <InlineError error={save.error} />}
					<Button
						type="submit"
						variant="primary"
						className="justify-self-start"
						busy={save.isPending}
						disabled={!canChange || !isChanged}
					>
						Save
					</Button>
				</form>
			</Panel>
			<DeleteAgent agent={agent} />
		</div>
	)
}

function DeleteAgent({ agent }: { agent: Agent }) {
	const [open, setOpen] = useState(false)
	const isAdmin = useCan('admin')
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await take(api.DELETE('/v1/agents/{id}', { params: { path: { id: agent.uuid } } }))
		await navigate({ to: '/agents' })
		await refreshAgents(queries)
	}
	return (
		<Panel title="Delete">
			<div className="flex flex-wrap items-center justify-between gap-4">
				<p className="text-ink-2">Its keys and grants go with it. What it did stays recorded.</p>
				<Button variant="danger" icon="trash" disabled={!isAdmin} onClick={() => setOpen(true)}>
					Delete agent
				</Button>
			</div>
			<Confirm
				open={open}
				onClose={() => setOpen(false)}
				title={`Delete ${agent.name}?`}
				text="Its keys stop working at once. This cannot be undone."
				action="Delete agent"
				typedName={agent.name}
				run={remove}
			/>
		</Panel>
	)
}
