import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { InlineError } from '../../ui/states.tsx'
import { enterWorkspace } from './enter-workspace.ts'

export function CreateWorkspaceDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const [name, setName] = useState('')
	const create = useMutation({
		mutationFn: async () => {
			const { id } = await unwrap(api.POST('/v1/workspaces', { body: { name: name.trim() } }))
			enterWorkspace(id)
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		create.mutate()
	}
	return (
		<Dialog
			open={open}
			onClose={onClose}
			title="Create a workspace"
			description="You are its owner. It is isolated from other workspaces."
		>
			<form onSubmit={submit} className="grid gap-4">
				<NameField placeholder="Operations" value={name} onChange={setName} />
				{create.error && <InlineError error={create.error} />}
				<DialogActions>
					<Button onClick={onClose}>Cancel</Button>
					<Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ''}>
						Create workspace
					</Button>
				</DialogActions>
			</form>
		</Dialog>
	)
}
