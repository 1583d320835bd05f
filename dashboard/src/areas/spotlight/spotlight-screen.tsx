import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { defaultRange, previousRange, type TimeRange } from '../../lib/time-range.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AlertsLink } from '../alerts/alerts-link.tsx'
import { SaveQuestion } from '../questions/save-question.tsx'
import { ActivityPanel } from './activity-panel.tsx'
import { BreakdownTable } from './breakdown-table.tsx'
import { type By, breakdowns, type CallFilter, type Sort } from './breakdowns.ts'
import { Figures } from './figures.tsx'
import { breakdownQuery, overviewQuery } from './queries.ts'
import { RangePicker } from './range-picker.tsx'
import { SpotlightFilters } from './spotlight-filters.tsx'
import { callsBehind, filterOf, parseSpotlightSearch, type SpotlightSearch } from './spotlight-search.ts'

const route = getRouteApi('/_app/spotlight')

/** Who uses what, what does it cost, and what got worse? */
export function SpotlightScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const range: TimeRange = search.start ? { ...defaultRange, ...pickRange(search) } : defaultRange
	const filter = filterOf(search)
	const overview = useQuery(overviewQuery(range, filter))
	const set = (change: Partial<SpotlightSearch>) =>
		void navigate({ search: parseSpotlightSearch({ ...search, ...change }) })
	const setRange = (next: TimeRange) => {
		const { start: _start, end: _end, ...rest } = search
		void navigate({ search: parseSpotlightSearch({ ...rest, ...next }) })
	}
	const setFilter = (next: CallFilter) =>
		void navigate({ search: parseSpotlightSearch({ ...viewOf(search), ...next }) })
	return (
		<Page
			title="Spotlight"
			description="Tool calls and model calls, put together by what they have in common. Each figure opens the calls behind it."
			actions={
				<>
					<Link to="/traces" search={callsBehind(filter, range)} className={buttonClass()}>
						Open the calls
					</Link>
					<SaveQuestion
						read={search.by ?? 'tools'}
						start={range.end ? undefined : range.start}
						filter={filter}
						compare={search.compare === true}
						sort={search.sort ?? 'calls'}
					/>
					<AlertsLink />
					<RangePicker range={range} onChange={setRange} />
				</>
			}
		>
			<SpotlightFilters filter={filter} onChange={setFilter} />
			<div className="grid grid-cols-1 gap-4">
				<Figures overview={overview.data} range={range} filter={filter} />
				<ActivityPanel range={range} filter={filter} onZoom={setRange} />
				<Tabs<By>
					label="Calls by"
					value={search.by ?? 'tools'}
					onChange={(by) => set({ by })}
					tabs={breakdowns.map(({ by, label }) => ({
						value: by,
						label,
						content: (
							<Breakdown
								key={by}
								question={{ by, range, filter, sort: search.sort ?? 'calls' }}
								compare={search.compare === true}
								onCompare={(compare) => set({ compare: compare ? true : undefined } as SpotlightSearch)}
								onSort={(sort) => set({ sort })}
								onFilter={setFilter}
							/>
						),
					}))}
				/>
			</div>
		</Page>
	)
}

function pickRange({ start, end }: SpotlightSearch): Partial<TimeRange> {
	return { ...(start && { start }), ...(end && { end }) }
}

/** What stays when the conditions change. */
function viewOf({ by, sort, compare, ...rest }: SpotlightSearch): SpotlightSearch {
	return { ...pickRange(rest), ...(by && { by }), ...(sort && { sort }), ...(compare && { compare }) }
}

interface BreakdownProps {
	question: { by: By; range: TimeRange; filter: CallFilter; sort: Sort }
	compare: boolean
	onCompare(compare: boolean): void
	onSort(sort: Sort): void
	onFilter(filter: CallFilter): void
}

const firstRows = 50

function Breakdown({ question, compare, onCompare, onSort, onFilter }: BreakdownProps) {
	const { by, range, filter, sort } = question
	const label = breakdowns.find((one) => one.by === by)?.label ?? ''
	const [limit, setLimit] = useState(firstRows)
	const { data, error, refetch } = useQuery(breakdownQuery({ ...question, limit }))
	const { data: before } = useQuery({
		...breakdownQuery({ ...question, range: previousRange(range), limit: 1000 }),
		enabled: compare,
	})
	return (
		<Panel
			title={data ? `${formatCount(data.total)} ${data.total === 1 ? 'line' : 'lines'}` : label}
			actions={
				<>
					<CheckLine label="Compare with the time before" checked={compare} onChange={onCompare}>
						Compare with the time before
					</CheckLine>
					<ExportMenu
						path="/v1/spotlight/export"
						formats={['csv', 'json']}
						query={{
							list: by,
							...range,
							...filter,
							sort,
							limit: 1000,
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
					rows={data.rows}
					before={compare && before ? new Map(before.rows.map((row) => [row.key, row])) : null}
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

function NoLines({ by, isFiltered, onReset }: { by: By; isFiltered: boolean; onReset(): void }) {
	if (isFiltered)
		return (
			<Empty
				icon="search"
				title="No call matches"
				action={<Button onClick={onReset}>Clear the filters</Button>}
			>
				Take a filter away, or choose a longer time.
			</Empty>
		)
	return (
		<Empty
			icon={by === 'errors' ? 'check' : 'live'}
			title={by === 'errors' ? 'Nothing failed in this time' : 'No calls in this time'}
			action={
				by !== 'errors' && (
					<Link to="/getting-started" className={buttonClass('primary')}>
						Connect an agent
					</Link>
				)
			}
		>
			{by === 'errors'
				? 'Failed, refused and interrupted calls appear here by their kind.'
				: 'Calls appear here as they pass. Connect an agent, or choose a longer time.'}
		</Empty>
	)
}
