import type { FormEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { DialogActions } from './dialog.tsx'
import { OvertakenNotice } from './notice.tsx'
import { InlineError } from './states.tsx'
import type { Edited } from './use-draft.ts'

interface EditFormProps {
	/** In words: `route`, `limit`. */
	what: string
	isNew: boolean
	/** False disables the fields and the button: the person may only view it. */
	mayEdit: boolean
	/** False while a required value is missing. */
	isComplete?: boolean
	/** The draft of its fields, for an object that exists. */
	edited?: Edited
	save: { isPending: boolean; error: unknown }
	onSave(): void
	onCancel(): void
	children: ReactNode
}

/** The form in a dialog that creates or changes an object. */
export function EditForm(props: EditFormProps) {
	const { what, isNew, mayEdit, isComplete = true, edited, save, onSave, onCancel, children } = props
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSave()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<fieldset disabled={!mayEdit} className="grid min-w-0 gap-4">
				<legend className="sr-only">{what}</legend>
				{children}
			</fieldset>
			{edited && !save.isPending && <OvertakenNotice edited={edited} />}
			{save.error ? <InlineError error={save.error} /> : null}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={save.isPending} disabled={!mayEdit || !isComplete}>
					{isNew ? `Create ${what}` : 'Save'}
				</Button>
			</DialogActions>
		</form>
	)
}
