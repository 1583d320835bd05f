import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { InlineError } from '../../ui/states.tsx'
import { inputOf, newDraft } from './forwarder-draft.ts'
import { ForwarderFields } from './forwarder-fields.tsx'
import { type ForwarderInput, refreshForwarders } from './queries.ts'

/** Creates a forwarder, then opens the screen that shows whether its data arrives. */
export function CreateForwarderDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	return (
		<Dialog
			open={open}
			onClose={onClose}
			title="Create a forwarder"
			description="It forwards data stored from now on."
		>
			<CreateForm onCancel={onClose} />
		</Dialog>
	)
}

function CreateForm({ onCancel }: { onCancel(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const [draft, setDraft] = useState(newDraft)
	const create = useMutation({
		mutationFn: (body: ForwarderInput) => unwrap(api.POST('/v1/forwarders', { body })),
		onSuccess: async ({ id }) => {
			await navigate({ to: '/forwarders/$forwarderId', params: { forwarderId: id } })
			await refreshForwarders(queries)
		},
		gcTime: 0,
	})
	const input = inputOf(draft)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (input) create.mutate(input)
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<ForwarderFields value={draft} onChange={setDraft} stored={null} />
			{create.error ? <InlineError error={create.error} /> : null}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={create.isPending} disabled={input === null}>
					Create forwarder
				</Button>
			</DialogActions>
		</form>
	)
}
