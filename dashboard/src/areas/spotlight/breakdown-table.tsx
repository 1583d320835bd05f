import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCompact, formatMs, formatPercent } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { SortHeader } from '../../ui/sort-header.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import {
	type BreakdownRow,
	type By,
	type CallFilter,
	combineFilters,
	type Measured,
	type Sort,
} from './breakdowns.ts'
import { Change } from './change.tsx'
import { allTokens, nanoUsdOf, shownCost, shownTokens } from './figures.tsx'
import { linkToCalls } from './link-to-calls.ts'
import { changeMeasureOf, type Measure } from './spotlight-search.ts'

interface Props {
	by: By
	label: string
	rows: readonly BreakdownRow[]
	range: TimeRange
	filter: CallFilter
	sort: Sort
	onSort(sort: Sort): void
	onFilter(filter: CallFilter): void
}

interface Column {
	measure: Measure
	label: string
	moreIsWorse?: boolean
	value(row: Measured): number | null
	text(row: Measured): string
}

const columns: readonly Column[] = [
	{
		measure: 'calls',
		label: 'Calls',
		value: ({ calls }) => calls,
		text: ({ calls }) => formatCompact(calls),
	},
	{
		measure: 'errors',
		label: 'Errors',
		moreIsWorse: true,
		value: ({ errors }) => errors,
		text: ({ errors }) => formatCompact(errors),
	},
	{
		measure: 'error_rate',
		label: 'Error rate',
		moreIsWorse: true,
		value: ({ error_rate }) => error_rate,
		text: ({ error_rate }) => formatPercent(error_rate),
	},
	{
		measure: 'p95',
		label: 'p95',
		moreIsWorse: true,
		value: ({ latency_ms }) => latency_ms.p95,
		text: ({ latency_ms }) => formatMs(latency_ms.p95),
	},
	{ measure: 'tokens', label: 'Tokens', value: allTokens, text: shownTokens },
	{
		measure: 'cost',
		label: 'Cost',
		moreIsWorse: true,
		value: nanoUsdOf,
		text: shownCost,
	},
]

/** Calls by one property; each figure is a link to the calls that it counts. */
export function BreakdownTable({ label, rows, sort, onSort, ...line }: Props) {
	const moved = changeMeasureOf(sort)
	return (
		<Table label={`Calls by ${label.toLowerCase()}`}>
			<thead>
				<tr>
					<Th>{label}</Th>
					{columns.map((column) => (
						<SortHeader
							key={column.measure}
							isSorted={(moved ?? sort) === column.measure}
							onSort={() => onSort(moved ? `${column.measure}_change` : column.measure)}
						>
							{column.label}
						</SortHeader>
					))}
					<SortHeader isSorted={sort === 'last_seen'} onSort={() => onSort('last_seen')}>
						Last
					</SortHeader>
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<BreakdownLine key={row.key} row={row} {...line} />
				))}
			</tbody>
		</Table>
	)
}

type LineProps = Omit<Props, 'label' | 'rows' | 'sort' | 'onSort'> & { row: BreakdownRow }

function BreakdownLine({ by, row, range, filter, onFilter }: LineProps) {
	const conditions = combineFilters(filter, row.filter)
	const { previous } = row
	return (
		<Row>
			<Td className="max-w-80 min-w-44">
				<span className="flex items-center gap-2">
					{row.filter && by !== 'errors' ? (
						<button
							type="button"
							title="Only these calls"
							onClick={() => onFilter(conditions)}
							className="min-h-6 truncate text-left font-medium hover:underline"
						>
							{row.name}
						</button>
					) : (
						<span className="truncate font-medium">{row.name}</span>
					)}
					{row.link && (
						<Link
							{...row.link}
							className="inline-flex min-h-6 items-center text-xs text-accent hover:underline"
						>
							{by === 'errors' ? 'Latest example' : by === 'sessions' ? 'Open session' : 'Open'}
							<span className="sr-only"> {row.name}</span>
						</Link>
					)}
				</span>
				{(row.detail || previous === null) && (
					<span className="block truncate text-xs text-ink-3">
						{[previous === null && 'new', row.detail].filter(Boolean).join(' · ')}
					</span>
				)}
			</Td>
			{columns.map((column) => (
				<Td
					key={column.measure}
					right
					className={column.label === 'Errors' && row.errors > 0 ? 'text-bad' : ''}
				>
					<span className="flex items-center justify-end gap-1.5 whitespace-nowrap">
						{previous && (
							<Change
								now={column.value(row)}
								before={column.value(previous)}
								moreIsWorse={column.moreIsWorse ?? false}
							/>
						)}
						<Behind row={row} column={column} range={range} filter={conditions}>
							{column.text(row)}
						</Behind>
					</span>
				</Td>
			))}
			<Td right className="text-ink-2">
				<Ago at={row.last_seen_at} />
			</Td>
		</Row>
	)
}

/** A figure as a link to its calls; plain text if no condition selects them. */
function Behind({
	row,
	column,
	range,
	filter,
	children,
}: {
	row: BreakdownRow
	column: Column
	range: TimeRange
	filter: CallFilter
	children: ReactNode
}) {
	if (!row.filter) return children
	const only = column.label === 'Errors' || column.label === 'Error rate' ? 'failed' : 'all'
	return (
		<Link
			to="/traces"
			search={linkToCalls(filter, range, only)}
			aria-label={`${column.label} of ${row.name}: ${column.text(row)}, open the calls`}
			className="inline-flex min-h-6 items-center hover:text-accent hover:underline"
		>
			{children}
		</Link>
	)
}
