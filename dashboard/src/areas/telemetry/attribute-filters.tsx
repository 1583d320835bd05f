import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { ConditionForm } from '../spotlight/condition-form.tsx'
import { operators, parseCondition, writeCondition } from '../spotlight/conditions.ts'
import { type FacetSource, FacetsBeside, useFacetsOpen } from '../spotlight/facets.tsx'

interface AttributeFiltersProps {
	/** Conditions on attributes, in the grammar of the API. */
	attributes: readonly string[]
	/** The chosen values of fields that are not attributes, by name. */
	fields: Readonly<Record<string, string | undefined>>
	/** Changes several at once, because one value of a field may be in both. */
	onChange(change: { attributes?: string[]; field?: { name: string; value: string } }): void
	/** The source of the values with their counts. */
	facets: FacetSource
	/** Further conditions. */
	others?: readonly { name: string; text: string; onRemove(): void }[]
	/** The inputs before them. */
	inputs: ReactNode
	/** The filtered content. */
	children: ReactNode
}

/** The limit of the API. */
const maxAttributes = 10

/** Filters of logs and metrics on fields and attributes; they work like those of calls. */
export function AttributeFilters(props: AttributeFiltersProps) {
	const { attributes, fields, onChange, facets, others = [], inputs, children } = props
	const [isAdding, setIsAdding] = useState(false)
	const isFull = attributes.length >= maxAttributes
	const parsed = attributes.map(parseCondition)
	const chips = attributes.map((text) => ({
		name: 'attribute',
		text: describeCondition(text),
		onRemove: () => onChange({ attributes: attributes.filter((other) => other !== text) }),
	}))
	const chosen = Object.entries(fields).flatMap(([field, value]) =>
		value ? [{ field, operator: '=' as const, value }] : [],
	)
	const all = [...others, ...chips]
	const { isOpen, toggle, fold } = useFacetsOpen(all.length + chosen.length)
	return (
		<>
			<div className="mb-3 flex flex-wrap items-center gap-2">
				{toggle}
				{fold(
					<>
						{inputs}
						<Button
							icon="plus"
							aria-expanded={isAdding}
							disabled={isFull}
							title={isFull ? 'Ten filters at most' : undefined}
							onClick={() => setIsAdding(!isAdding)}
						>
							Add filter
						</Button>
						<FilterChips chips={all} />
					</>,
				)}
			</div>
			{isAdding &&
				fold(
					<ConditionForm
						fields={[]}
						onAdd={(condition) => {
							onChange({ attributes: [...new Set([...attributes, writeCondition(condition)])] })
							setIsAdding(false)
						}}
					/>,
				)}
			<FacetsBeside
				isOpen={isOpen}
				source={facets}
				conditions={[...parsed, ...chosen]}
				single={Object.keys(fields)}
				onField={(field, next) => {
					if (field in fields) return onChange({ field: { name: field, value: next[0]?.value ?? '' } })
					const kept = parsed.filter((one) => one.field !== field)
					onChange({ attributes: [...kept, ...next].map(writeCondition).slice(0, maxAttributes) })
				}}
			>
				{children}
			</FacetsBeside>
		</>
	)
}

function describeCondition(text: string): string {
	const { field, operator, value } = parseCondition(text)
	const sign = operators.find((one) => one.value === operator)?.sign
	return sign ? `${field} ${sign}${value}` : `${field}=${value}`
}
