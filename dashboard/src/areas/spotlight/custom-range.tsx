import { type FormEvent, useState } from 'react'
import { serverNowMs } from '../../lib/clock.ts'
import { relativeMs, type TimeRange } from '../../lib/time-range.ts'
import { fromLocalField, timeZone, toLocalField } from '../../lib/time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'

interface CustomRangeProps {
	range: TimeRange
	onClose(): void
	onChange(range: TimeRange): void
}

/** A form for two fixed times, which begins with the range that is shown. */
export function CustomRange({ range, onClose, onChange }: CustomRangeProps) {
	const [from, setFrom] = useState(() => toLocalField(startMs(range)))
	const [to, setTo] = useState(() => toLocalField(range.end ? Date.parse(range.end) : serverNowMs()))
	const isOrdered = fromLocalField(from) < fromLocalField(to)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onChange({
			start: new Date(fromLocalField(from)).toISOString(),
			end: new Date(fromLocalField(to)).toISOString(),
		})
		onClose()
	}
	return (
		<Dialog open onClose={onClose} title="Time range" description={`Times are in ${timeZone}.`}>
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

function startMs({ start }: TimeRange): number {
	const agoMs = relativeMs(start)
	return agoMs === null ? Date.parse(start) : serverNowMs() - agoMs
}
