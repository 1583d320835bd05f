import { spanStatuses } from '@signalbox/contract/span-status'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { api, type Schemas, take } from '../../api.ts'
import { formatCompact, formatCount } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { Icon } from '../../ui/icons.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { agentsQuery } from '../agents/queries.ts'
import { keyNamesQuery } from '../identity/credential-names.ts'
import { serversQuery } from '../servers/queries.ts'
import {
	type Condition,
	conditionFields,
	fieldLabel,
	type Operator,
	operators,
	parseCondition,
	writeCondition,
} from './conditions.ts'

interface FacetBarProps {
	/** Everything that is looked for, in the grammar of the API. */
	conditions: readonly string[]
	onChange(conditions: string[]): void
	range: TimeRange
	/** What holds beside them, set elsewhere on the screen. */
	also?: readonly string[]
	/** Whether spans that are no calls count, too. */
	of: 'calls' | 'spans'
	/** Whose values are listed with their counts. */
	fields: readonly string[]
	/** Beside the search. */
	controls?: ReactNode
	/** What is filtered. */
	children: ReactNode
}

/** The API takes ten. */
const mostConditions = 10
const shownFields = 4
const key = 'filters open'

function wasOpen(): boolean {
	try {
		return (localStorage.getItem(key) ?? String(innerWidth >= 1280)) === 'true'
	} catch {
		return false
	}
}

/** Search through everything that is said, filters with the values that there are, and conditions of any kind above a list. */
export function FacetBar(props: FacetBarProps) {
	const { conditions, onChange, also = [], range, of, fields, controls, children } = props
	const [isOpen, setIsOpen] = useState(wasOpen)
	const [isAdding, setIsAdding] = useState(false)
	const [added, setAdded] = useState<readonly string[]>([])
	const parsed = conditions.map(parseCondition)
	const text = parsed.find(({ field, operator }) => field === 'text' && operator === '~=')?.value ?? ''
	const names = useNames(parsed)
	const set = (next: readonly Condition[]) => onChange(next.map(writeCondition).slice(0, mostConditions))
	const remove = (gone: Condition) => set(parsed.filter((one) => one !== gone))
	const toggle = () => {
		setIsOpen(!isOpen)
		try {
			localStorage.setItem(key, String(!isOpen))
		} catch {
			// Without storage the choice holds for this page.
		}
	}
	const chips = parsed
		.filter((one) => one.field !== 'text' || one.operator !== '~=')
		.map((one) => ({ ...describe(one, names), onRemove: () => remove(one) }))
	return (
		<>
			<div className="mb-3 flex flex-wrap items-center gap-2">
				<Button aria-expanded={isOpen} onClick={toggle}>
					<Icon name="menu" className="size-3.5 text-ink-3" />
					Filters
				</Button>
				<DelayedSearch
					label="Search messages and errors"
					value={text}
					onChange={(wanted) => {
						const others = parsed.filter((one) => one.field !== 'text' || one.operator !== '~=')
						set(wanted.trim() ? [...others, { field: 'text', operator: '~=', value: wanted.trim() }] : others)
					}}
					className="w-full max-w-none sm:w-64"
				/>
				{controls}
				<Button
					icon="plus"
					aria-expanded={isAdding}
					disabled={conditions.length >= mostConditions}
					title={conditions.length >= mostConditions ? 'Ten filters at most' : undefined}
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
			</div>
			{isAdding && (
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
				/>
			)}
			<div
				className={cn('grid grid-cols-[minmax(0,1fr)] gap-4', isOpen && 'lg:grid-cols-[13rem_minmax(0,1fr)]')}
			>
				{isOpen && (
					<Facets
						fields={[...fields, ...added].slice(0, 16)}
						{...{ conditions, also, range, of }}
						onField={(field, next) => set([...parsed.filter((one) => one.field !== field), ...next])}
					/>
				)}
				<div className="min-w-0">{children}</div>
			</div>
		</>
	)
}

type Facet = Schemas['Facet']

interface FacetsProps extends Pick<FacetBarProps, 'conditions' | 'also' | 'range' | 'of' | 'fields'> {
	/** The conditions on a field from now on. */
	onField(field: string, conditions: readonly Condition[]): void
}

function Facets({ fields, conditions, also = [], range, of, onField }: FacetsProps) {
	const all = [...conditions, ...also].slice(0, mostConditions)
	const filter = { ...range, ...(all.length > 0 && { filter: all }) }
	const { data, error } = useQuery({
		queryKey: ['facets', of, fields, filter],
		queryFn: () =>
			take(
				api.GET('/v1/spotlight/facets', {
					params: { query: { ...filter, fields: [...fields], of, limit: 12 } },
				}),
			),
		placeholderData: keepPreviousData,
	})
	const parsed = conditions.map(parseCondition)
	const known = (data?.facets ?? []).filter(
		({ field, values }) => values.length > 0 || parsed.some((one) => one.field === field),
	)
	return (
		<section
			aria-label="Filter by value"
			className="self-start rounded-xl border border-line bg-surface py-1 lg:sticky lg:top-4 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto"
		>
			{error && !data ? (
				<div className="px-3">
					<InlineError error={error} />
				</div>
			) : !data ? (
				<SkeletonRows rows={6} />
			) : known.length === 0 ? (
				<p className="p-3 text-ink-3">Nothing to filter in this period.</p>
			) : (
				known.map((facet, at) => (
					<FacetGroup
						key={facet.field}
						facet={facet}
						isOpenAtFirst={at < shownFields}
						conditions={parsed.filter(({ field }) => field === facet.field)}
						onChange={(next) => onField(facet.field, next)}
					/>
				))
			)}
		</section>
	)
}

interface FacetGroupProps {
	facet: Facet
	isOpenAtFirst: boolean
	/** Those on its field. */
	conditions: readonly Condition[]
	onChange(conditions: readonly Condition[]): void
}

function FacetGroup({ facet, isOpenAtFirst, conditions, onChange }: FacetGroupProps) {
	const { field, values, total } = facet
	const [isOpen, setIsOpen] = useState(isOpenAtFirst || conditions.length > 0)
	const rest = total - values.length
	return (
		<section className="border-b border-line last:border-b-0">
			<button
				type="button"
				aria-expanded={isOpen}
				onClick={() => setIsOpen(!isOpen)}
				className="flex min-h-9 w-full items-center gap-1.5 px-3 text-left font-medium -outline-offset-2 hover:bg-hover"
			>
				<Icon name="chevron" className={cn('size-3 text-ink-3', isOpen && 'rotate-90')} />
				<span className="min-w-0 flex-1 truncate">{fieldLabel(field)}</span>
				<span className="text-xs font-normal text-ink-3 tabular-nums">{formatCount(total)}</span>
			</button>
			{isOpen && (
				<ul aria-label={fieldLabel(field)} className="pb-2">
					{values.map(({ value, label, count, errors }) => {
						const isChosen = conditions.some((one) => one.operator === '=' && one.value === value)
						const isExcluded = conditions.some((one) => one.operator === '!=' && one.value === value)
						const name = label ?? describeValue(field, value)
						const others = conditions.filter((one) => one.operator === '!=' && one.value !== value)
						return (
							<li key={value} className="group flex items-center pr-2 pl-3">
								<button
									type="button"
									aria-pressed={isChosen}
									title={`${name}: ${formatCount(count)}${errors > 0 ? `, ${formatCount(errors)} failed` : ''}`}
									onClick={() => onChange(isChosen ? [] : [{ field, operator: '=', value }])}
									className={cn(
										'flex min-h-7 min-w-0 flex-1 items-center gap-2 rounded px-1.5 text-left -outline-offset-2 hover:bg-hover',
										isChosen && 'bg-accent-soft font-medium text-accent',
										isExcluded && 'text-ink-3 line-through',
									)}
								>
									<span className="min-w-0 flex-1 truncate">{name}</span>
									{errors > 0 && (
										<span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-bad" />
									)}
									<span className="text-xs text-ink-2 tabular-nums">{formatCompact(count, 10_000)}</span>
								</button>
								<button
									type="button"
									aria-pressed={isExcluded}
									aria-label={`Exclude ${name}`}
									title={`Exclude ${name}`}
									onClick={() =>
										onChange(isExcluded ? others : [...others, { field, operator: '!=', value }])
									}
									className={cn(
										'grid size-6 shrink-0 place-items-center rounded text-ink-3 hover:bg-hover hover:text-ink focus-visible:opacity-100',
										!isExcluded && 'lg:opacity-0 lg:group-hover:opacity-100',
									)}
								>
									<Icon name="minus" className="size-3" />
								</button>
							</li>
						)
					})}
					{rest > 0 && <li className="px-4.5 pt-1 text-xs text-ink-3">{formatCount(rest)} more</li>}
				</ul>
			)}
		</section>
	)
}

const valueWords: Readonly<Record<string, string>> = {
	mcp: 'MCP request',
	other: 'Other span',
	tool_call: 'Tool call',
	model_call: 'Model call',
}
const inWords = ['kind', 'error_type', 'source', 'status']

function describeValue(field: string, value: string): string {
	return inWords.includes(field) ? (valueWords[value] ?? value.replaceAll('_', ' ')) : value
}

function describe({ field, operator, value }: Condition, names: ReadonlyMap<string, string>) {
	const sign = operators.find((one) => one.value === operator)?.sign ?? ''
	const text = `${sign}${names.get(value) ?? describeValue(field, value)}`
	if (!field.startsWith('@')) return { name: fieldLabel(field).toLowerCase(), text }
	return { name: 'attribute', text: writeCondition({ field: field.slice(1), operator, value }) }
}

/** Ids are shown by the names of what they stand for. */
function useNames(conditions: readonly Condition[]): ReadonlyMap<string, string> {
	const has = (field: string) => conditions.some((one) => one.field === field)
	const { data: servers } = useQuery({ ...serversQuery({}), enabled: has('server') })
	const { data: agents } = useQuery({ ...agentsQuery({}), enabled: has('agent') })
	const { data: keys } = useQuery({ ...keyNamesQuery, enabled: has('key') })
	return new Map([
		...(servers?.mcp_servers ?? []).map(({ id, name }) => [id, name] as const),
		...(agents?.agents ?? []).map(({ uuid, name }) => [uuid, name] as const),
		...(keys?.keys ?? []).map(({ id, name }) => [id, name] as const),
	])
}

interface ConditionFormProps {
	/** What it can be on beside attributes. */
	fields?: readonly string[]
	onAdd(condition: Condition): void
}

/** Any condition: on a field or an attribute, by a text, a part of it, or a number. */
export function ConditionForm({ fields = conditionFields, onAdd }: ConditionFormProps) {
	const label = fields.length > 0 ? 'Field or attribute' : 'Attribute'
	const [field, setField] = useState('')
	const [operator, setOperator] = useState<Operator>('=')
	const [value, setValue] = useState('')
	const id = useId()
	const hasValue = operator !== 'set' && operator !== 'unset'
	const name = field.trim()
	const isNumber = /^[<>]/.test(operator)
	const isGood =
		name !== '' &&
		!/[=!<>~]/.test(name) &&
		(!hasValue || (value !== '' && (!isNumber || Number.isFinite(Number(value)))))
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (isGood) onAdd({ field: name, operator, value: hasValue ? value.trim() : '' })
	}
	return (
		<form onSubmit={submit} aria-label="Add a filter" className="mb-3 flex flex-wrap items-center gap-2">
			<Input
				aria-label={label}
				placeholder={label}
				list={`${id}-fields`}
				maxLength={256}
				value={field}
				onChange={(event) => setField(event.target.value)}
				className="w-52!"
			/>
			<datalist id={`${id}-fields`}>
				{fields.map((one) => (
					<option key={one} value={one} label={fieldLabel(one)} />
				))}
			</datalist>
			<Select
				aria-label="Comparison"
				value={operator}
				onChange={(event) => setOperator(event.target.value as Operator)}
				className="w-44!"
			>
				{operators.map((one) => (
					<option key={one.value} value={one.value}>
						{one.label}
					</option>
				))}
			</Select>
			{hasValue && (
				<>
					<Input
						aria-label="Value"
						placeholder={isNumber ? 'Number' : 'Value'}
						inputMode={isNumber ? 'decimal' : 'text'}
						list={name === 'status' ? `${id}-values` : undefined}
						maxLength={700}
						value={value}
						onChange={(event) => setValue(event.target.value)}
						className="w-52!"
					/>
					<datalist id={`${id}-values`}>
						{spanStatuses.map((status) => (
							<option key={status} value={status} />
						))}
					</datalist>
				</>
			)}
			<Button type="submit" variant="primary" disabled={!isGood}>
				Add
			</Button>
		</form>
	)
}
