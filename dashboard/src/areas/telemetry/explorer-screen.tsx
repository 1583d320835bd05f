import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, take } from '../../api.ts'
import { freshMs, type TimeRange } from '../../lib/time-range.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { OlderButton } from '../../ui/older-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { CallTable } from './call-table.tsx'
import { ExplorerFilters } from './explorer-filters.tsx'
import { type ExplorerSearch, explorerQuery, parseExplorerSearch } from './explorer-search.ts'
import { TraceTable } from './trace-table.tsx'

const exportFormats = ['csv', 'jsonl', 'otlp'] as const
const route = getRouteApi('/_app/traces/')
const views = [
	{ value: 'traces', label: 'Traces' },
	{ value: 'calls', label: 'Calls & spans' },
] as const

/** Find the runs, or the calls, in which something happened. */
export function ExplorerScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const { start, end, ...query } = explorerQuery(search)
	const range: TimeRange = { start, ...(end && { end }) }
	const change = (next: ExplorerSearch) => void navigate({ search: next })
	const setRange = (next: TimeRange) => {
		const { start: _start, end: _end, ...rest } = search
		change(parseExplorerSearch({ ...rest, ...next }))
	}
	const list = { search, range, onReset: () => change(search.view ? { view: search.view } : {}) }
	return (
		<Page
			title="Calls & traces"
			description="What was recorded, newest first: whole traces, or one line for each call and span."
			actions={
				<>
					<ExportMenu
						path="/v1/telemetry/spans/export"
						formats={exportFormats}
						query={{ ...range, ...query }}
					/>
					<RangePicker range={range} onChange={setRange} />
				</>
			}
		>
			<div className="mb-3">
				<Segmented
					label="Lines"
					name="explorer-view"
					value={search.view ?? 'traces'}
					options={views}
					onChange={(view) => change(parseExplorerSearch({ ...search, view }))}
				/>
			</div>
			<ExplorerFilters search={search} onChange={change} />
			{search.view === 'calls' ? <Calls {...list} /> : <Traces {...list} />}
		</Page>
	)
}

interface ListProps {
	search: ExplorerSearch
	range: TimeRange
	onReset(): void
}

function Traces({ search, range, onReset }: ListProps) {
	const filter = explorerQuery(search)
	const query = useInfiniteQuery({
		queryKey: ['traces', filter],
		queryFn: ({ pageParam }) =>
			take(
				api.GET('/v1/telemetry/traces', {
					params: { query: { ...filter, ...pageOf(pageParam) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => freshMs(range, state.data?.pages.length),
	})
	const traces = query.data?.pages.flatMap((page) => page.traces) ?? []
	return (
		<List query={query} what="traces" count={traces.length} search={search} onReset={onReset}>
			<TraceTable traces={traces} />
		</List>
	)
}

function Calls({ search, range, onReset }: ListProps) {
	const filter = explorerQuery(search)
	const query = useInfiniteQuery({
		queryKey: ['spans', 'explorer', filter],
		queryFn: ({ pageParam }) =>
			take(
				api.GET('/v1/telemetry/spans', {
					params: { query: { ...filter, ...pageOf(pageParam) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => freshMs(range, state.data?.pages.length),
	})
	const spans = query.data?.pages.flatMap((page) => page.spans) ?? []
	return (
		<List query={query} what="calls" count={spans.length} search={search} onReset={onReset}>
			<CallTable spans={spans} />
		</List>
	)
}

/** The first page is there at once; who wants more wants much. */
const pageOf = (cursor: string) => (cursor ? { limit: 1000, cursor } : { limit: 100 })

interface ListFrameProps {
	query: {
		isPending: boolean
		isError: boolean
		error: unknown
		refetch(): unknown
		hasNextPage: boolean
		isFetchingNextPage: boolean
		fetchNextPage(): unknown
	}
	what: string
	count: number
	search: ExplorerSearch
	onReset(): void
	children: React.ReactNode
}

function List({ query, what, count, search, onReset, children }: ListFrameProps) {
	const { view: _view, start: _start, end: _end, ...conditions } = search
	const isFiltered = Object.keys(conditions).length > 0
	return (
		<Panel flush>
			{query.isPending ? (
				<SkeletonRows rows={8} />
			) : query.isError && count === 0 ? (
				<ErrorState error={query.error} retry={() => void query.refetch()} />
			) : count === 0 ? (
				<Empty
					icon="search"
					title={isFiltered ? `No ${what} match` : `No ${what} in this time`}
					action={
						isFiltered ? (
							<Button onClick={onReset}>Clear the filters</Button>
						) : (
							<Link to="/getting-started" className={buttonClass('primary')}>
								Connect an agent
							</Link>
						)
					}
				>
					{isFiltered
						? 'Remove a filter, or choose a longer period.'
						: 'They appear here by themselves, about a second after they end.'}
				</Empty>
			) : (
				children
			)}
			<OlderButton what={what} query={query} />
		</Panel>
	)
}
