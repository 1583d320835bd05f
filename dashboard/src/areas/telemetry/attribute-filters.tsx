import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { operators, parseCondition, writeCondition } from '../spotlight/conditions.ts'
import { ConditionForm } from '../spotlight/facet-bar.tsx'

interface AttributeFiltersProps {
	/** Conditions on attributes, in the grammar of the API. */
	attributes: readonly string[]
	onChange(attributes: string[]): void
	/** What holds beside them. */
	others?: readonly { name: string; text: string; onRemove(): void }[]
	/** The fields before them. */
	children: ReactNode
}

/** The API takes ten. */
const mostAttributes = 10

/** Filters of logs and metrics: made and shown as those of calls are, on attributes. */
export function AttributeFilters({ attributes, onChange, others = [], children }: AttributeFiltersProps) {
	const [isAdding, setIsAdding] = useState(false)
	const isFull = attributes.length >= mostAttributes
	const chips = attributes.map((text) => ({
		name: 'attribute',
		text: describeCondition(text),
		onRemove: () => onChange(attributes.filter((other) => other !== text)),
	}))
	return (
		<>
			<div className="mb-3 flex flex-wrap items-center gap-2">
				{children}
				<Button
					icon="plus"
					aria-expanded={isAdding}
					disabled={isFull}
					title={isFull ? 'Ten filters at most' : undefined}
					onClick={() => setIsAdding(!isAdding)}
				>
					Add filter
				</Button>
				<FilterChips chips={[...others, ...chips]} />
			</div>
			{isAdding && (
				<ConditionForm
					fields={[]}
					onAdd={(condition) => {
						onChange([...new Set([...attributes, writeCondition(condition)])])
						setIsAdding(false)
					}}
				/>
			)}
		</>
	)
}

function describeCondition(text: string): string {
	const { field, operator, value } = parseCondition(text)
	const sign = operators.find((one) => one.value === operator)?.sign
	return sign ? `${field} ${sign}${value}` : `${field}=${value}`
}
