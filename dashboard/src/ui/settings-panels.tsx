import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'
import { Switch } from './controls.tsx'
import { OvertakenNotice } from './notice.tsx'
import { Panel } from './page.tsx'
import { InlineError } from './states.tsx'
import type { Edited } from './use-draft.ts'

interface FormPanelProps {
	title: string
	busy: boolean
	/** The draft of its fields. */
	edited: Edited
	/** Disables the button even if something was changed: a value is missing, or the person may not. */
	disabled: boolean
	error?: unknown
	onSave(): void
	children: ReactNode
}

/** A few fields that are saved together. */
export function FormPanel({ title, busy, edited, disabled, error, onSave, children }: FormPanelProps) {
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSave()
	}
	return (
		<Panel title={title}>
			<form onSubmit={submit} className="grid max-w-lg gap-4">
				{children}
				{!busy && <OvertakenNotice edited={edited} />}
				{error ? <InlineError error={error} /> : null}
				<div className="flex flex-wrap gap-2">
					<Button type="submit" variant="primary" busy={busy} disabled={disabled || !edited.isChanged}>
						Save
					</Button>
					{edited.isChanged && !busy && <Button onClick={edited.reset}>Undo</Button>}
				</div>
			</form>
		</Panel>
	)
}

interface EnabledPanelProps {
	/** The name of the switch: `Forwarder is in use`. */
	label: string
	/** What it means now. */
	text: string
	enabled: boolean
	disabled: boolean
	onChange(enabled: boolean): void
}

/** Switches an object on and off. */
export function EnabledPanel({ label, text, enabled, disabled, onChange }: EnabledPanelProps) {
	return (
		<Panel title="Enabled">
			<div className="flex items-center justify-between gap-4">
				<p className="text-ink-2">{text}</p>
				<Switch label={label} disabled={disabled} checked={enabled} onChange={onChange} />
			</div>
		</Panel>
	)
}

interface DeletePanelProps {
	/** In words: `server`, `agent`. */
	what: string
	name: string
	/** What is kept, or deleted with it. */
	note: string
	/** The immediate consequences, shown in the dialog. */
	text: string
	disabled: boolean
	run(): Promise<unknown>
}

/** Deletes an object; its name must be typed. */
export function DeletePanel({ what, name, note, text, disabled, run }: DeletePanelProps) {
	const [open, setOpen] = useState(false)
	return (
		<Panel title="Delete">
			<div className="flex flex-wrap items-center justify-between gap-4">
				<p className="text-ink-2">{note}</p>
				<Button variant="danger" icon="trash" disabled={disabled} onClick={() => setOpen(true)}>
					Delete {what}
				</Button>
			</div>
			<Confirm
				open={open}
				onClose={() => setOpen(false)}
				title={`Delete ${name}?`}
				text={text}
				action={`Delete ${what}`}
				typedName={name}
				run={run}
			/>
		</Panel>
	)
}
