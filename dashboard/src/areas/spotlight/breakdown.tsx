import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount, formatCounted } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { BreakdownTable } from './breakdown-table.tsx'
import { type By, breakdowns, type CallFilter, noRowsText, type Sort } from './breakdowns.ts'
import { type BreakdownQuery, breakdownQuery } from './queries.ts'
import { changeMeasureOf } from './spotlight-search.ts'
import { useNames } from './use-names.ts'

interface BreakdownProps {
	query: Omit<BreakdownQuery, 'limit'>
	onCompare(compare: boolean): void
	onSort(sort: Sort): void
	onFilter(filter: CallFilter): void
}

const firstRows = 50

/** Calls grouped by one property and further groups, sorted by size or by change. */
export function Breakdown({ query, onCompare, onSort, onFilter }: BreakdownProps) {
	const { by, groups, range, filter, sort, compare } = query
	const label = breakdowns.find((one) => one.by === by)?.label ?? ''
	const [limit, setLimit] = useState(firstRows)
	const { data, error, refetch } = useQuery(breakdownQuery({ ...query, limit }))
	const names = useNames(groups)
	return (
		<Panel
			title={data ? formatCounted(data.total, label === 'Any field' ? 'group' : label.toLowerCase()) : label}
			actions={
				<>
					<OrderChoice sort={sort} onSort={onSort} />
					<CheckLine
						label="Compare to previous period"
						checked={compare}
						disabled={changeMeasureOf(sort) !== null}
						onChange={onCompare}
					>
						Compare to previous period
					</CheckLine>
					<ExportMenu
						path="/v1/spotlight/export"
						formats={['csv', 'json']}
						asked={`/v1/spotlight/${by}`}
						query={{
							...{ list: by, ...range, ...filter, sort, limit: 1000, group_by: groups },
							...(compare && { compare: 'previous' }),
						}}
					/>
				</>
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={6} />
			) : data.rows.length === 0 ? (
				<NoLines by={by} isFiltered={Object.keys(filter).length > 0} onReset={() => onFilter({})} />
			) : (
				<BreakdownTable
					by={by}
					label={label}
					rows={data.rows.map((row) => ({ ...row, name: withNames(row.name, names) }))}
					range={range}
					filter={filter}
					sort={sort}
					onSort={onSort}
					onFilter={onFilter}
				/>
			)}
			{data && data.total > data.rows.length && limit < 1000 && (
				<div className="flex justify-center border-t border-line p-3">
					<Button onClick={() => setLimit(1000)}>
						Show {data.total > 1000 ? 'the first 1,000' : `all ${formatCount(data.total)}`}
					</Button>
				</div>
			)}
		</Panel>
	)
}

/** The name of a row, with those of the agents and servers by which the calls are grouped. */
function withNames(name: string, names: ReadonlyMap<string, string>): string {
	const nameOf = (part: string) => (names.has(part) ? showDirections(names.get(part) ?? '') : part)
	return name.split(' · ').map(nameOf).join(' · ')
}

const orders = [
	{ value: 'largest', label: 'Top' },
	{ value: 'moved', label: 'Biggest change' },
] as const
type Order = (typeof orders)[number]['value']

/** The sort order: by size, or by the change since the previous range. */
function OrderChoice({ sort, onSort }: { sort: Sort; onSort(sort: Sort): void }) {
	const moved = changeMeasureOf(sort)
	const choose = (order: Order) => {
		if (order === 'largest') onSort(moved ?? sort)
		else onSort(`${moved ?? (sort === 'last_seen' ? 'calls' : (sort as 'calls'))}_change`)
	}
	return (
		<Segmented<Order> label="First" value={moved ? 'moved' : 'largest'} options={orders} onChange={choose} />
	)
}

function NoLines({ by, isFiltered, onReset }: { by: By; isFiltered: boolean; onReset(): void }) {
	if (isFiltered)
		return (
			<Empty
				icon="search"
				title="No call matches"
				action={<Button onClick={onReset}>Clear the filters</Button>}
			>
				Remove a filter, or choose a longer period.
			</Empty>
		)
	return (
		<Empty
			icon={by === 'errors' ? 'check' : 'live'}
			title={noRowsText(by)}
			action={
				by !== 'errors' && (
					<Link to="/getting-started" className={buttonClass('primary')}>
						Connect an agent
					</Link>
				)
			}
		>
			{by === 'errors'
				? 'Failed, refused, cut and interrupted calls appear here by their kind.'
				: 'They appear here as calls pass. Connect an agent, or choose a longer period.'}
		</Empty>
	)
}
