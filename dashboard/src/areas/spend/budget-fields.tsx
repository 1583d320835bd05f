import { ChoiceField } from '../../ui/choice-field.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { parseAmount } from './describe-budget.ts'
import type { Budget } from './queries.ts'

/** The fields that can also be changed later; the amount as typed. */
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

/** The amounts of a draft in the form of the API; null while one is missing. */
export function amountsOf(draft: BudgetDraft, unit: Budget['unit']) {
	const limit = parseAmount(draft.amount, unit)
	const unpriced_ceiling = draft.unpriced === 'ceiling' ? parseAmount(draft.ceiling, unit) : null
	if (limit === null || (draft.unpriced === 'ceiling' && unpriced_ceiling === null)) return null
	return { limit, unpriced_ceiling }
}

const modes: Record<Budget['mode'], string> = { hard: 'Block', soft: 'Notify only' }
const unpricedModes: Record<Budget['unpriced'], string> = {
	deny: 'Are refused',
	allow: 'Allow without counting',
	ceiling: 'Count as a fixed amount each',
}

export function BudgetFields({ draft, unit, onChange }: Props) {
	const set = (change: Partial<BudgetDraft>) => onChange({ ...draft, ...change })
	return (
		<>
			<NameField value={draft.name} onChange={(name) => set({ name })} />
			<Field
				label={unit === 'tokens' ? 'Tokens' : 'Dollars'}
				hint={unit === 'nano_usd' && 'For example 5 or 0.25'}
			>
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
			<ChoiceField
				label="When exhausted"
				value={draft.mode}
				choices={modes}
				onChange={(mode) => set({ mode })}
			/>
			<ChoiceField
				label="Calls to models without a price"
				value={draft.unpriced}
				choices={unpricedModes}
				onChange={(unpriced) => set({ unpriced })}
			/>
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
			<Field label="Contact" optional hint="Shown to refused callers: a name, an e-mail address or a channel">
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
