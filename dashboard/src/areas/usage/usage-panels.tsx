import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCompact, formatDateTime, formatMs } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { CheckLine } from '../../ui/controls.tsx'
import { Select } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { ActivityPanel } from '../spotlight/activity-panel.tsx'
import { type By, type CallFilter, combineFilters } from '../spotlight/breakdowns.ts'
import { FiguresOf, shownCost } from '../spotlight/figures.tsx'
import { breakdownQuery, versionField } from '../spotlight/queries.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { pageOf } from './usage-links.ts'
import { rangeOf, type UsageSearch } from './usage-search.ts'

export type TopList =
	| { by: Exclude<By, 'errors' | 'usage'>; label: string }
	| { field: string; label: string }

interface UsagePanelsProps {
	/** The condition that selects the subject of the page. */
	filter: CallFilter
	/** The properties by which its calls are broken down. */
	lists: readonly TopList[]
	search: UsageSearch
	onSearch(search: UsageSearch): void
	/** Whether the page already has the range next to its title. */
	hasRange?: boolean
}

const splits = [
	['', 'Kind of call'],
	['agent_name', 'Agent'],
	['server_name', 'Server'],
	['tool', 'Tool'],
	['model', 'Model'],
	['client', 'Client'],
	[versionField, 'Server version'],
] as const

/** The figures of one object over time, broken down by all properties of its calls, and its failures. */
export function UsagePanels({ filter, lists, search, onSearch, hasRange = false }: UsagePanelsProps) {
	const range = rangeOf(search)
	const setRange = (next: TimeRange) => {
		const { start: _start, end: _end, ...rest } = search
		onSearch({ ...rest, ...next })
	}
	const set = (change: { split?: string | undefined; compare?: true | undefined }) =>
		onSearch({ ...search, ...change } as UsageSearch)
	const shown = search.split
		? { group_by: [search.split] }
		: search.compare
			? { compare: 'previous' as const }
			: {}
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			{!hasRange && (
				<div className="flex justify-end">
					<RangePicker range={range} onChange={setRange} />
				</div>
			)}
			<FiguresOf range={range} filter={filter} />
			<ActivityPanel
				range={range}
				filter={filter}
				shown={shown}
				onZoom={setRange}
				actions={
					<>
						<Select
							aria-label="Split by"
							className="w-40!"
							value={search.split ?? ''}
							onChange={({ target }) => set({ split: target.value || undefined })}
						>
							{splits.map(([value, label]) => (
								<option key={value} value={value}>
									{label}
								</option>
							))}
						</Select>
						<CheckLine
							label="Compare to previous period"
							checked={search.compare === true}
							disabled={search.split !== undefined}
							onChange={(isOn) => set({ compare: isOn || undefined })}
						>
							Compare to previous period
						</CheckLine>
					</>
				}
			/>
			<div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
				<Failures filter={filter} range={range} />
				{lists.map((list) => (
					<TopPanel key={list.label} list={list} filter={filter} range={range} />
				))}
			</div>
		</div>
	)
}

interface PanelProps {
	filter: CallFilter
	range: TimeRange
}

const shownRows = 8

/** What was called most, with figures that show what is slow, failing or expensive. */
function TopPanel({ list, filter, range }: PanelProps & { list: TopList }) {
	const by = 'by' in list ? list.by : 'usage'
	const groups = 'field' in list ? [list.field] : []
	const { data, error, refetch } = useQuery(
		breakdownQuery({ by, range, filter, sort: 'calls', limit: shownRows, compare: false, groups }),
	)
	return (
		<Panel title={list.label} flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={3} />
			) : data.rows.length === 0 ? (
				<p className="p-4 text-ink-3">No {list.label.toLowerCase()} in the calls of this period.</p>
			) : (
				<Table label={list.label}>
					<thead>
						<tr>
							<Th>Name</Th>
							<Th right>Calls</Th>
							<Th right>Errors</Th>
							<Th right>p95</Th>
							<Th right>Cost</Th>
						</tr>
					</thead>
					<tbody>
						{data.rows.map((row) => {
							const page = by === 'usage' ? undefined : pageOf(by, row)
							return (
								<Row key={row.key}>
									<Td className="max-w-60 truncate">
										{page ? (
											<Link
												{...page}
												className="inline-flex min-h-6 items-center font-medium hover:underline"
											>
												{showDirections(row.name)}
											</Link>
										) : (
											<Link
												to="/spotlight"
												search={{ ...combineFilters(filter, row.filter) }}
												className="inline-flex min-h-6 items-center font-medium hover:underline"
											>
												{showDirections(row.name)}
											</Link>
										)}
									</Td>
									<Td right>{formatCompact(row.calls)}</Td>
									<Td right className={row.errors > 0 ? 'text-bad' : ''}>
										{formatCompact(row.errors)}
									</Td>
									<Td right>{formatMs(row.latency_ms.p95)}</Td>
									<Td right>{shownCost(row)}</Td>
								</Row>
							)
						})}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}

/** Groups of equal failures, newest first. */
function Failures({ filter, range }: PanelProps) {
	const { data, error, refetch } = useQuery(
		breakdownQuery({
			...{ by: 'errors', range, filter, sort: 'last_seen', limit: shownRows, compare: false, groups: [] },
		}),
	)
	return (
		<Panel title="Failures" flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={3} />
			) : data.rows.length === 0 ? (
				<p className="p-4 text-ink-3">No failures in this period.</p>
			) : (
				<Table label="Failures">
					<thead>
						<tr>
							<Th>Failure</Th>
							<Th right>Count</Th>
							<Th right>First seen</Th>
							<Th right>Last seen</Th>
						</tr>
					</thead>
					<tbody>
						{data.rows.map((row) => (
							<Row key={row.key}>
								<Td className="min-w-48">
									<Link
										{...row.link}
										className="inline-flex min-h-6 items-center font-medium hover:underline"
									>
										{row.name.replaceAll('_', ' ')}
									</Link>
									{row.detail && (
										<span className="line-clamp-2 text-xs wrap-anywhere text-ink-2">
											{showDirections(row.detail)}
										</span>
									)}
								</Td>
								<Td right>{formatCompact(row.errors)}</Td>
								<Td right className="whitespace-nowrap text-ink-2" title={formatDateTime(row.first_seen_at)}>
									<Ago at={row.first_seen_at} />
								</Td>
								<Td right className="whitespace-nowrap text-ink-2">
									<Ago at={row.last_seen_at} />
								</Td>
							</Row>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}
