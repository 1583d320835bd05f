import { Link } from '@tanstack/react-router'
import { Field, Input, Select } from '../../ui/field.tsx'
import { linkClass } from '../../ui/link.ts'
import type { Approver, LimitsDraft } from './grant-limits.ts'

type Terms = Pick<LimitsDraft, 'approver' | 'waitSeconds'>

interface ApprovalTermsProps {
	terms: Terms
	error: string | undefined
	disabled: boolean
	onChange(terms: Terms): void
}

const hints: Record<Approver, string> = {
	workspace: 'Admins, and keys with the scope approvals:decide.',
	caller:
		'Their client asks them. It is a seat belt for people who watch, no protection from them: an agent that runs its own client could approve itself.',
}

/** Who can approve, and how long a call waits for approval. */
export function ApprovalTerms({ terms, error, disabled, onChange }: ApprovalTermsProps) {
	return (
		<div className="grid gap-3 rounded-lg border border-line p-3">
			<h3 className="font-medium">
				When a person is asked: the call appears under{' '}
				<Link to="/approvals" className={linkClass}>
					Approvals
				</Link>
			</h3>
			<div className="grid items-start gap-3 sm:grid-cols-2">
				<Field label="Who may approve" hint={hints[terms.approver]}>
					{(field) => (
						<Select
							{...field}
							disabled={disabled}
							value={terms.approver}
							onChange={(event) => onChange({ ...terms, approver: event.target.value as Approver })}
						>
							<option value="workspace">Admins of the workspace</option>
							<option value="caller">Also the agent’s user</option>
						</Select>
					)}
				</Field>
				<Field
					label="Seconds a call waits"
					optional
					hint="After that, the agent is asked to send the call again. Default: 60."
					error={error}
				>
					{(field) => (
						<Input
							{...field}
							type="number"
							min={0}
							max={120}
							placeholder="60"
							disabled={disabled}
							value={terms.waitSeconds}
							onChange={(event) => onChange({ ...terms, waitSeconds: event.target.value })}
						/>
					)}
				</Field>
			</div>
		</div>
	)
}
