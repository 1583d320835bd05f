import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { type Approval, type Approve, useDecisions } from './queries.ts'

export type Decision = 'approve' | 'deny'

interface DecisionFormProps {
	approval: Approval
	decision: Decision
	onCancel(): void
}

const maxMinutes = 1440

/** The second step of a decision, shown in place of the first: its extent and reason. */
export function DecisionForm({ approval, decision, onCancel }: DecisionFormProps) {
	const { approve, deny } = useDecisions(approval)
	const [reason, setReason] = useState('')
	const [minutes, setMinutes] = useState<number | null>(null)
	const form = useRef<HTMLFormElement>(null)
	useEffect(() => {
		const first = decision === 'deny' ? 'textarea' : 'button[type="submit"]'
		form.current?.querySelector<HTMLElement>(first)?.focus()
	}, [decision])
	const answer = decision === 'approve' ? approve : deny
	const submit = (event: FormEvent) => {
		event.preventDefault()
		const why = reason.trim() ? { reason: reason.trim() } : {}
		const body: Approve = decision === 'approve' && minutes !== null ? { ...why, for_minutes: minutes } : why
		answer.mutate(body)
	}
	const onKey = (event: KeyboardEvent) => {
		if (event.key === 'Escape') onCancel()
	}
	return (
		<form
			ref={form}
			aria-label={`${decision === 'approve' ? 'Approve' : 'Deny'} ${approval.tool} by ${approval.agent.name}`}
			onSubmit={submit}
			onKeyDown={onKey}
			className="grid gap-3 rounded-lg border border-line bg-sunken p-3"
		>
			{decision === 'approve' && <Extent approval={approval} minutes={minutes} onChange={setMinutes} />}
			<Field label="Reason" optional hint="The agent sees this.">
				{(field) => (
					<Textarea
						{...field}
						rows={2}
						maxLength={500}
						value={reason}
						onChange={(event) => setReason(event.target.value)}
					/>
				)}
			</Field>
			{answer.error !== null && <InlineError error={answer.error} />}
			<div className="flex flex-wrap gap-2">
				<Button
					type="submit"
					variant={decision === 'approve' ? 'primary' : 'danger'}
					icon={decision === 'approve' ? 'check' : 'block'}
					busy={answer.isPending}
					disabled={Number.isNaN(minutes)}
				>
					{decision === 'deny' ? 'Deny the call' : minutes === null ? 'Approve once' : 'Approve for a time'}
				</Button>
				<Button onClick={onCancel}>Cancel</Button>
			</div>
		</form>
	)
}

interface ExtentProps {
	approval: Approval
	/** Null: once. NaN: not a valid number. */
	minutes: number | null
	onChange(minutes: number | null): void
}

/** This call only, or every call of the tool by the agent for a period. */
function Extent({ approval: { tool, agent }, minutes, onChange }: ExtentProps) {
	const group = useId()
	const [typed, setTyped] = useState('15')
	const choose = (text: string) => {
		setTyped(text)
		const value = Number(text)
		const isPossible = Number.isInteger(value) && value >= 1 && value <= maxMinutes
		onChange(isPossible ? value : Number.NaN)
	}
	return (
		<fieldset className="grid gap-1.5">
			<legend className="sr-only">Approved version</legend>
			<label className="flex min-h-6 items-center gap-2">
				<input
					type="radio"
					name={group}
					checked={minutes === null}
					onChange={() => onChange(null)}
					className="size-4 accent-accent"
				/>
				This call, once
			</label>
			<div className="flex flex-wrap items-center gap-x-2 gap-y-1">
				<label className="flex min-h-6 min-w-0 items-center gap-2">
					<input
						type="radio"
						name={group}
						checked={minutes !== null}
						onChange={() => choose(typed)}
						className="size-4 shrink-0 accent-accent"
					/>
					<span className="min-w-0 break-words">
						All calls of {tool} by {agent.name}, whatever their arguments, for
					</span>
				</label>
				<span className="flex items-center gap-2">
					<Input
						type="number"
						aria-label="Minutes"
						min={1}
						max={maxMinutes}
						value={typed}
						aria-invalid={Number.isNaN(minutes) || undefined}
						onChange={(event) => choose(event.target.value)}
						className="w-20"
					/>
					minutes
				</span>
			</div>
			{Number.isNaN(minutes) && <p className="text-bad">From 1 to {maxMinutes} minutes (a day).</p>}
		</fieldset>
	)
}

interface ApproveOrDenyProps {
	approval: Approval
	/** The second step that is open. */
	asked: Decision | null
	onAsk(decision: Decision | null): void
}

/** Buttons to approve or deny, each with a second step in the same place. */
export function ApproveOrDeny({ approval, asked, onAsk }: ApproveOrDenyProps) {
	if (asked)
		return <DecisionForm key={asked} approval={approval} decision={asked} onCancel={() => onAsk(null)} />
	return (
		<div className="flex flex-wrap gap-2">
			<Button variant="primary" icon="check" title="a" onClick={() => onAsk('approve')}>
				Approve…
			</Button>
			<Button variant="danger" icon="block" title="d" onClick={() => onAsk('deny')}>
				Deny…
			</Button>
		</div>
	)
}
