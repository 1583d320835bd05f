import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { InlineError } from '../../ui/states.tsx'
import { AlertFields, newDraft, settingsOf } from './alert-fields.tsx'
import { refreshAlerts } from './queries.ts'

interface CreateAlertDialogProps {
	/** The saved question to watch, '' for one that is yet to be chosen; null: not open. */
	questionId: string | null
	onClose(): void
}

export function CreateAlertDialog({ questionId, onClose }: CreateAlertDialogProps) {
	return (
		<Dialog
			open={questionId !== null}
			onClose={onClose}
			title="Create an alert"
			description="It watches one figure of all calls that a saved question looks at."
		>
			<CreateForm questionId={questionId ?? ''} onClose={onClose} />
		</Dialog>
	)
}

function CreateForm({ questionId, onClose }: { questionId: string; onClose(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const [draft, setDraft] = useState({ ...newDraft, question_id: questionId })
	const create = useMutation({
		mutationFn: () => {
			const { question_id, figure, condition } = draft
			const body = { ...settingsOf(draft, 'question'), question_id, figure, condition }
			return take(api.POST('/v1/alerts', { body }))
		},
		onSuccess: async ({ id }) => {
			await refreshAlerts(queries)
			await navigate({ to: '/alerts/$alertId', params: { alertId: id } })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		create.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<AlertFields kind="question" value={draft} onChange={setDraft} />
			{create.error && <InlineError error={create.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button type="submit" variant="primary" busy={create.isPending}>
					Create alert
				</Button>
			</DialogActions>
		</form>
	)
}
