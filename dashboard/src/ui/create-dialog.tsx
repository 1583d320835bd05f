import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { type Named, NameFields } from './name-fields.tsx'
import { InlineError } from './states.tsx'

interface CreateDialogProps {
	open: boolean
	onClose(): void
	title: string
	description: ReactNode
	action: string
	hint: string
	create: { mutate(named: Named): void; isPending: boolean; error: unknown }
}

/** Creates an object with a name; everything else is set on its own screen. */
export function CreateDialog({ open, onClose, title, description, ...form }: CreateDialogProps) {
	return (
		<Dialog open={open} onClose={onClose} title={title} description={description}>
			<CreateForm {...form} onClose={onClose} />
		</Dialog>
	)
}

function CreateForm({
	action,
	hint,
	create,
	onClose,
}: Pick<CreateDialogProps, 'action' | 'hint' | 'create' | 'onClose'>) {
	const [named, setNamed] = useState<Named>({ name: '', description: '' })
	const submit = (event: FormEvent) => {
		event.preventDefault()
		create.mutate({ ...named, name: named.name.trim() })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameFields value={named} onChange={setNamed} hint={hint} />
			{create.error ? <InlineError error={create.error} /> : null}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button type="submit" variant="primary" busy={create.isPending} disabled={named.name.trim() === ''}>
					{action}
				</Button>
			</DialogActions>
		</form>
	)
}
