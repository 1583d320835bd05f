import { type ReactNode, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { isRelative, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { ConditionForm } from './condition-form.tsx'
import {
	type Condition,
	conditionFields,
	fieldLabel,
	operators,
	parseCondition,
	writeCondition,
} from './conditions.ts'
import { describeValue, FacetsBeside, useFacetsOpen } from './facets.tsx'
import { useNames } from './use-names.ts'

interface FacetBarProps {
	/** All conditions, in the grammar of the API. */
	conditions: readonly string[]
	onChange(conditions: string[]): void
	range: TimeRange
	/** Further conditions that are set elsewhere on the screen. */
	also?: readonly string[]
	/** What is counted: calls, all spans, or sessions with a matching call. */
	of: 'calls' | 'spans' | 'sessions'
	/** The fields whose values are listed with their counts. */
	fields: readonly string[]
	/** Shown next to the search. */
	controls?: ReactNode
	/** How many filters are set in the controls. */
	controlsActive?: number
	/** The filtered content. */
	children: ReactNode
}

/** The limit of the API. */
const maxConditions = 10
/** A search in all texts, filters with the existing values, and conditions of any kind, above a list. */
export function FacetBar(props: FacetBarProps) {
	const { conditions, onChange, also = [], range, of, fields, controls, controlsActive = 0, children } = props
	const { isOpen, toggle, fold } = useFacetsOpen(conditions.length + controlsActive)
	const [isAdding, setIsAdding] = useState(false)
	const [added, setAdded] = useState<readonly string[]>([])
	const parsed = conditions.map(parseCondition)
	const text = parsed.find(({ field, operator }) => field === 'text' && operator === '~=')?.value ?? ''
	const names = useNames(parsed.map(({ field }) => field))
	const set = (next: readonly Condition[]) => onChange(next.map(writeCondition).slice(0, maxConditions))
	const remove = (gone: Condition) => set(parsed.filter((one) => one !== gone))
	const all = [...conditions, ...also].slice(0, maxConditions)
	const filter = { ...range, ...(all.length > 0 && { filter: all }) }
	const facetFields = [...fields, ...added].slice(0, 16)
	const source = {
		counts: of,
		refetchInterval: isRelative(range) ? 10_000 : (false as const),
		queryKey: ['facets', of, facetFields, filter],
		queryFn: () =>
			unwrap(
				api.GET('/v1/spotlight/facets', {
					params: { query: { ...filter, fields: facetFields, of, limit: 12 } },
				}),
			),
	}
	const chips = parsed
		.filter((one) => one.field !== 'text' || one.operator !== '~=')
		.map((one) => ({ ...describe(one, names), onRemove: () => remove(one) }))
	return (
		<>
			<div className="mb-3 flex flex-wrap items-center gap-2">
				{toggle}
				{fold(
					<>
						<DelayedSearch
							label="Search messages and errors"
							value={text}
							onChange={(wanted) => {
								const others = parsed.filter((one) => one.field !== 'text' || one.operator !== '~=')
								set(
									wanted.trim()
										? [...others, { field: 'text', operator: '~=', value: wanted.trim() }]
										: others,
								)
							}}
							className="w-full max-w-none sm:w-64"
						/>
						{controls}
						<Button
							icon="plus"
							aria-expanded={isAdding}
							disabled={conditions.length >= maxConditions}
							title={conditions.length >= maxConditions ? 'Ten filters at most' : undefined}
							onClick={() => setIsAdding(!isAdding)}
						>
							Add filter
						</Button>
						<FilterChips chips={chips} />
						{chips.length > 1 && (
							<Button small variant="ghost" onClick={() => onChange([])}>
								Clear all
							</Button>
						)}
					</>,
				)}
			</div>
			{isAdding &&
				fold(
					<ConditionForm
						onAdd={(condition) => {
							set([...parsed, condition])
							setIsAdding(false)
							if (
								!fields.includes(condition.field) &&
								condition.field !== 'text' &&
								!conditionFields.includes(condition.field)
							)
								setAdded([...new Set([...added, condition.field])])
						}}
					/>,
				)}
			<FacetsBeside
				isOpen={isOpen}
				source={source}
				conditions={parsed}
				onField={(field, next) => set([...parsed.filter((one) => one.field !== field), ...next])}
			>
				{children}
			</FacetsBeside>
		</>
	)
}

function describe({ field, operator, value }: Condition, names: ReadonlyMap<string, string>) {
	const sign = operators.find((one) => one.value === operator)?.sign ?? ''
	const text = `${sign}${names.get(value) ?? describeValue(field, value)}`
	if (!field.startsWith('@')) return { name: fieldLabel(field).toLowerCase(), text }
	return { name: 'attribute', text: writeCondition({ field: field.slice(1), operator, value }) }
}
