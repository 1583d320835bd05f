import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api.ts'
import { formatCompact, formatCount } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Condition, fieldLabel } from './conditions.ts'

type Facet = Schemas['Facet']

/** The source of the values. */
export interface FacetSource {
	queryKey: readonly unknown[]
	queryFn(): Promise<{ facets: Facet[] }>
	/** What is counted: `calls`. */
	counts: string
	/** For a range that ends now: how often they are counted again, together with the list. */
	refetchInterval?: number | false
}

const shownFields = 4
const key = 'filters open'

/** Whether the values are above the list instead of beside it. */
const isNarrow = () => innerWidth < 1024

function wasOpen(): boolean {
	if (isNarrow()) return false
	try {
		return (localStorage.getItem(key) ?? String(innerWidth >= 1280)) === 'true'
	} catch {
		return false
	}
}

/**
 * Whether the filters are shown, and the button that toggles it. The choice is stored for all lists in wide windows. On a phone everything
 * in `fold` is hidden until it is toggled, so that it does not push the list away. `active`: the number of filters, shown on the button there.
 */
export function useFacetsOpen(active: number): {
	isOpen: boolean
	toggle: ReactNode
	fold(filters: ReactNode): ReactNode
} {
	const [isOpen, setIsOpen] = useState(wasOpen)
	const onClick = () => {
		setIsOpen(!isOpen)
		if (isNarrow()) return
		try {
			localStorage.setItem(key, String(!isOpen))
		} catch {
			// Without storage the choice applies to this page only.
		}
	}
	const toggle = (
		<Button aria-expanded={isOpen} onClick={onClick}>
			<Icon name="menu" className="size-3.5 text-ink-3" />
			Filters
			{active > 0 && (
				<span className="rounded-full bg-accent px-1.5 text-xs text-on-accent tabular-nums sm:hidden">
					{active}
					<span className="sr-only"> active</span>
				</span>
			)}
		</Button>
	)
	const fold = (filters: ReactNode) => (
		<div className={cn('contents', !isOpen && 'max-sm:hidden')}>{filters}</div>
	)
	return { isOpen, toggle, fold }
}

interface FacetsProps {
	isOpen: boolean
	source: FacetSource
	/** The chosen values of the fields. */
	conditions: readonly Condition[]
	/** Fields of which only one value can be chosen, and none excluded. */
	single?: readonly string[]
	/** Replaces the conditions on a field. */
	onField(field: string, conditions: readonly Condition[]): void
	/** The filtered content. */
	children: ReactNode
}

/** The existing values with their counts, next to the content that they filter. */
export function FacetsBeside({ isOpen, children, ...props }: FacetsProps) {
	return (
		<div
			className={cn('grid grid-cols-[minmax(0,1fr)] gap-4', isOpen && 'lg:grid-cols-[13rem_minmax(0,1fr)]')}
		>
			{isOpen && <Facets {...props} />}
			<div className="min-w-0">{children}</div>
		</div>
	)
}

function Facets({ source, conditions, single = [], onField }: Omit<FacetsProps, 'isOpen' | 'children'>) {
	const { counts, ...query } = source
	const { data, error, refetch } = useQuery({ ...query, placeholderData: keepPreviousData })
	const known = (data?.facets ?? []).filter(
		({ field, values }) => values.length > 0 || conditions.some((one) => one.field === field),
	)
	return (
		<section
			aria-label="Filter by value"
			className="self-start rounded-xl border border-line bg-surface py-1 lg:sticky lg:top-4 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto"
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={6} />
			) : known.length === 0 ? (
				<p className="p-3 text-ink-3">Nothing to filter in this period.</p>
			) : (
				<>
					<p className="border-b border-line px-3 py-1.5 text-right text-xs text-ink-3">{counts}</p>
					{known.map((facet, at) => (
						<FacetGroup
							key={facet.field}
							facet={facet}
							isOpenAtFirst={at < shownFields}
							conditions={conditions.filter(({ field }) => field === facet.field)}
							canExclude={!single.includes(facet.field)}
							onChange={(next) => onField(facet.field, next)}
						/>
					))}
				</>
			)}
		</section>
	)
}

interface FacetGroupProps {
	facet: Facet
	isOpenAtFirst: boolean
	canExclude: boolean
	/** The conditions on its field. */
	conditions: readonly Condition[]
	onChange(conditions: readonly Condition[]): void
}

function FacetGroup({ facet, isOpenAtFirst, canExclude, conditions, onChange }: FacetGroupProps) {
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
						const name = showDirections(label ?? describeValue(field, value))
						const others = conditions.filter((one) => one.operator === '!=' && one.value !== value)
						return (
							<li key={value} className={cn('group flex items-center pl-3', canExclude ? 'pr-2' : 'pr-8')}>
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
								{canExclude && (
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
								)}
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

export function describeValue(field: string, value: string): string {
	return inWords.includes(field) ? (valueWords[value] ?? value.replaceAll('_', ' ')) : value
}
