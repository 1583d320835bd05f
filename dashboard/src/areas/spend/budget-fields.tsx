import { Field, Input, Select } from '../../ui/field.tsx'
import { parseAmount } from './describe-budget.ts'
import type { Budget } from './queries.ts'

/** What can be changed later, too; the amount as it is typed. */
export interface BudgetDraft {
	name: string
	amount: string
	mode: Budget['mode']
	unpriced: Budget['unpriced']
	ceiling: string
	contact: string
}

interface Props {
	draft: BudgetDraft
	unit: Budget['unit']
	onChange(draft: BudgetDraft): void
}

/** What the API takes of a draft; null while an amount is missing. */
export function amountsOf(draft: BudgetDraft, unit: Budget['unit']) {
	const limit = parseAmount(draft.amount, unit)
	const unpriced_ceiling = draft.unpriced === 'ceiling' ? parseAmount(draft.ceiling, unit) : null
	if (limit === null || (draft.unpriced === 'ceiling' && unpriced_ceiling === null)) return null
	return { limit, unpriced_ceiling }
}

export function BudgetFields({ draft, unit, onChange }: Props) {
	const set = (change: Partial<BudgetDraft>) => onChange({ ...draft, ...change })
	return (
		<>
			<Field label="Name">
				{(field) => (
					<Input
						{...field}
						required
						maxLength={100}
						value={draft.name}
						onChange={(event) => set({ name: event.target.value })}
					/>
				)}
			</Field>
			<Field label={unit === 'tokens' ? 'Tokens' : 'Dollars'} hint={unit === 'nano_usd' && 'As in 5 or 0.25'}>
				{(field) => (
					<Input
						{...field}
						required
						inputMode="decimal"
						value={draft.amount}
						onChange={(event) => set({ amount: event.target.value })}
						className="tabular-nums"
					/>
				)}
			</Field>
			<Field label="When it is used up">
				{(field) => (
					<Select
						{...field}
						value={draft.mode}
						onChange={(event) => set({ mode: event.target.value as Budget['mode'] })}
					>
						<option value="hard">Refuse and stop calls</option>
						<option value="soft">Only tell</option>
					</Select>
				)}
			</Field>
			<Field label="Calls of models without a price">
				{(field) => (
					<Select
						{...field}
						value={draft.unpriced}
						onChange={(event) => set({ unpriced: event.target.value as Budget['unpriced'] })}
					>
						<option value="deny">Are refused</option>
						<option value="allow">Are let through, uncounted</option>
						<option value="ceiling">Count as a fixed amount each</option>
					</Select>
				)}
			</Field>
			{draft.unpriced === 'ceiling' && (
				<Field label="Each counts as">
					{(field) => (
						<Input
							{...field}
							required
							inputMode="decimal"
							value={draft.ceiling}
							onChange={(event) => set({ ceiling: event.target.value })}
						/>
					)}
				</Field>
			)}
			<Field label="Who can help" optional hint="Refused callers are told: a name, an address, a channel">
				{(field) => (
					<Input
						{...field}
						maxLength={200}
						value={draft.contact}
						onChange={(event) => set({ contact: event.target.value })}
					/>
				)}
			</Field>
		</>
	)
}
