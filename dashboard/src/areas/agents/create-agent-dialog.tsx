import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { refreshAgents } from './queries.ts'

export function CreateAgentDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	return (
		<Dialog open={open} onClose={onClose} title="Create an agent" description="Keys and access come next.">
			<CreateAgentForm onClose={onClose} />
		</Dialog>
	)
}

function CreateAgentForm({ onClose }: { onClose(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const [name, setName] = useState('')
	const [description, setDescription] = useState('')
	const create = useMutation({
		mutationFn: () =>
			take(api.POST('/v1/agents', { body: { name: name.trim(), ...(description && { description }) } })),
		onSuccess: async (agent) => {
			await refreshAgents(queries)
			await navigate({ to: '/agents/$agentId', params: { agentId: agent.uuid } })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		create.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Field label="Name" hint="Who or what calls: billing-bot, Ada’s Claude Code">
				{(field) => (
					<Input
						{...field}
						required
						maxLength={100}
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
						value={description}
						onChange={(event) => setDescription(event.target.value)}
					/>
				)}
			</Field>
			{create.error && <InlineError error={create.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ''}>
					Create agent
				</Button>
			</DialogActions>
		</form>
	)
}
