import { type FormEvent, useState } from 'react'
import type { TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'

/** Asks for two moments. */
export function CustomRange({ onClose, onChange }: { onClose(): void; onChange(range: TimeRange): void }) {
	const [from, setFrom] = useState(() => localInput(Date.now() - 3_600_000))
	const [to, setTo] = useState(() => localInput(Date.now()))
	const isOrdered = Date.parse(from) < Date.parse(to)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onChange({ start: new Date(from).toISOString(), end: new Date(to).toISOString() })
		onClose()
	}
	return (
		<Dialog open onClose={onClose} title="Time range">
			<form onSubmit={submit}>
				<div className="grid gap-4 sm:grid-cols-2">
					<Field label="From">
						{(field) => (
							<Input
								{...field}
								type="datetime-local"
								required
								value={from}
								onChange={(event) => setFrom(event.target.value)}
							/>
						)}
					</Field>
					<Field label="To" error={isOrdered ? undefined : 'Must be after the start'}>
						{(field) => (
							<Input
								{...field}
								type="datetime-local"
								required
								value={to}
								onChange={(event) => setTo(event.target.value)}
							/>
						)}
					</Field>
				</div>
				<DialogActions>
					<Button onClick={onClose}>Cancel</Button>
					<Button type="submit" variant="primary" disabled={!isOrdered}>
						Show
					</Button>
				</DialogActions>
			</form>
		</Dialog>
	)
}

/** Local time in the form of a datetime-local field. */
function localInput(ms: number): string {
	const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
	return new Date(ms - offsetMs).toISOString().slice(0, 16)
}
