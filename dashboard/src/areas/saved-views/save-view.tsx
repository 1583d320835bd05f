import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { refreshViews, type SavedViewInput } from './queries.ts'

/** `start` is relative, as in the URL; undefined for two fixed times. */
type Asked = Omit<SavedViewInput, 'name' | 'range'> & { start: string | undefined }

const ranges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const

/**
 * Saves the current Spotlight query under a name. A view looks back from the time at which it is opened, so it cannot have fixed
 * times.
 */
export function SaveView({ start, ...asked }: Asked) {
	const [open, setOpen] = useState(false)
	const range = ranges.find((one) => start === `-${one}`)
	return (
		<>
			<Button
				icon="plus"
				disabled={!useCan('questions:write') || !range}
				title={range ? undefined : 'Only a time that ends now can be saved'}
				onClick={() => setOpen(true)}
			>
				Save view
			</Button>
			<Dialog
				open={open}
				onClose={() => setOpen(false)}
				title="Save view"
				description="Saves the filters and time range under a name, for everyone in the workspace, dashboards and alerts."
			>
				<SaveForm asked={{ ...asked, range: range ?? '24h' }} onClose={() => setOpen(false)} />
			</Dialog>
		</>
	)
}

function SaveForm({ asked, onClose }: { asked: Omit<SavedViewInput, 'name'>; onClose(): void }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const mayWatch = useCan('alerts:write')
	const [name, setName] = useState('')
	const [isWatched, setWatched] = useState(false)
	const save = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/questions', { body: { ...asked, name: name.trim() } })),
		onSuccess: async ({ id }) => {
			toast('Saved')
			await refreshViews(queries)
			onClose()
			if (isWatched) await navigate({ to: '/alerts', search: { watch: id } })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameField value={name} onChange={setName} />
			{mayWatch && (
				<CheckLine label="Create an alert on it" checked={isWatched} onChange={setWatched}>
					Create an alert on it
				</CheckLine>
			)}
			{save.error && <InlineError error={save.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button type="submit" variant="primary" busy={save.isPending} disabled={name.trim() === ''}>
					Save view
				</Button>
			</DialogActions>
		</form>
	)
}
