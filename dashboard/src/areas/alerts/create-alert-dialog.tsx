import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { InlineError } from '../../ui/states.tsx'
import { refreshViews } from '../saved-views/queries.ts'
import { AlertFields } from './alert-fields.tsx'
import { type AlertDraft, settingsOf } from './alert-search.ts'
import { refreshAlerts } from './queries.ts'

interface CreateAlertDialogProps {
	/** The initial values; null: not open. */
	start: AlertDraft | null
	onClose(): void
}

/** Creates an alert on a saved view, on all calls, or on the calls of a chart, which are saved as a view at the same time. */
export function CreateAlertDialog({ start, onClose }: CreateAlertDialogProps) {
	return (
		<Dialog
			open={start !== null}
			onClose={onClose}
			wide
			title="Create an alert"
			description="It monitors one metric over all calls of a saved view."
		>
			{start && <CreateForm start={start} onClose={onClose} />}
		</Dialog>
	)
}

function CreateForm({ start, onClose }: { start: AlertDraft; onClose(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const [draft, setDraft] = useState(start)
	const create = useMutation({
		mutationFn: async () => {
			const { figure, condition } = draft
			const question_id = draft.question_id || (await saveView(draft))
			setDraft((old) => ({ ...old, question_id }))
			const body = { ...settingsOf(draft, 'question'), question_id, figure, condition }
			return unwrap(api.POST('/v1/alerts', { body }))
		},
		onSuccess: async ({ id }) => {
			await Promise.all([refreshAlerts(queries), refreshViews(queries)])
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

/** An alert watches a saved view, which is saved under the alert's name. */
async function saveView({ name, view }: AlertDraft): Promise<string> {
	const body = { name: name.trim(), read: 'overview' as const, ...view }
	return (await unwrap(api.POST('/v1/questions', { body }))).id
}
