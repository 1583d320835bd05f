import { useState } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Field, Input } from './field.tsx'
import { InlineError } from './states.tsx'

interface ConfirmProps {
	open: boolean
	onClose(): void
	title: string
	/** The consequences, and whom they affect. */
	text: string
	action: string
	/** A name that must be typed first, for actions that cannot be undone. */
	typedName?: string
	run(): Promise<unknown>
}

export function Confirm({ open, onClose, title, text, action, typedName, run }: ConfirmProps) {
	const [typed, setTyped] = useState('')
	const [busy, setBusy] = useState(false)
	const [error, setError] = useState<unknown>(null)
	const confirm = async () => {
		setBusy(true)
		setError(null)
		try {
			await run()
			onClose()
		} catch (failure) {
			setError(failure)
		} finally {
			setBusy(false)
		}
	}
	return (
		<Dialog open={open} onClose={onClose} title={title}>
			<p className="text-ink-2 wrap-anywhere">{text}</p>
			{typedName !== undefined && (
				<div className="mt-4 wrap-anywhere">
					<Field label={`Type “${typedName}” to confirm`}>
						{(field) => (
							<Input
								{...field}
								autoComplete="off"
								value={typed}
								onChange={(event) => setTyped(event.target.value)}
							/>
						)}
					</Field>
				</div>
			)}
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button
					variant="danger"
					busy={busy}
					disabled={typedName !== undefined && typed !== typedName}
					onClick={() => void confirm()}
				>
					{action}
				</Button>
			</DialogActions>
		</Dialog>
	)
}
