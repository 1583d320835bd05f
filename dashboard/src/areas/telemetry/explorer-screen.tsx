import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { formatCount } from '../../lib/format.ts'
import type { TableView } from '../../lib/table-view.ts'
import { freshMs, type TimeRange } from '../../lib/time-range.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { sortRows, TableTools, type TableToolsProps } from '../../ui/data-table.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Select } from '../../ui/field.tsx'
import { OlderButton } from '../../ui/older-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { conditionsOf, searchOf } from '../spotlight/conditions.ts'
import { FacetBar } from '../spotlight/facet-bar.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { CallTable, callColumns } from './call-table.tsx'
import { kindName } from './describe-span.ts'
import {
	callChoices,
	type ExplorerSearch,
	explorerNames,
	explorerQuery,
	parseExplorerSearch,
} from './explorer-search.ts'
import { kinds } from './live-filter.ts'
import { TraceTable, traceColumns } from './trace-table.tsx'

const exportFormats = ['csv', 'jsonl', 'otlp'] as const
const route = getRouteApi('/_app/traces/')
const views = [
	{ value: 'traces', label: 'Traces' },
	{ value: 'calls', label: 'Calls & spans' },
] as const

/** Finds the traces or calls in which something happened. */
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
	const { columns, sort, density } = search
	const table = tableOf({ columns, sort, density })
	const setTable = (next: TableView) => {
		const { columns: _columns, sort: _sort, density: _density, ...rest } = search
		change(parseExplorerSearch({ ...rest, ...next }))
	}
	const list = {
		search,
		range,
		table,
		onTable: setTable,
		onReset: () => change(search.view ? { view: search.view } : {}),
	}
	return (
		<Page
			wide
			title="Calls & traces"
			description="Recorded activity, newest first, as traces or as one row per call and span."
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
					label="View"
					value={search.view ?? 'traces'}
					options={views}
					onChange={(view) =>
						change(parseExplorerSearch({ ...search, view, columns: undefined, sort: undefined }))
					}
				/>
			</div>
			<FacetBar
				conditions={conditionsOf(search, explorerNames)}
				onChange={(conditions) => {
					const { view, calls, kind } = search
					const next = { ...range, ...table, view, calls, kind, ...searchOf(conditions, explorerNames) }
					change(parseExplorerSearch(next))
				}}
				range={range}
				of={search.calls?.startsWith('counted') ? 'calls' : 'spans'}
				also={whichSpans(search)}
				fields={facetFields}
				controls={<SpansSelect search={search} onChange={change} />}
				controlsActive={search.kind || search.calls ? 1 : 0}
			>
				{search.view === 'calls' ? <Calls {...list} /> : <Traces {...list} />}
			</FacetBar>
		</Page>
	)
}

const facetFields = [
	...['status', 'agent', 'server', 'tool', 'model', 'error_type', 'user', 'client', 'service'],
	...['connection', 'provider', 'source'],
]

/** The chosen kind of spans as conditions. */
function whichSpans({ kind, calls }: ExplorerSearch): string[] {
	if (kind) return [`kind=${kind}`]
	const ofCalls = calls ? ['kind!=other', 'kind!=mcp'] : []
	return calls?.endsWith('failed') ? [...ofCalls, 'status!=ok', 'status!=unset'] : ofCalls
}

const callNames: Record<(typeof callChoices)[number], string> = {
	counted: 'Calls',
	counted_failed: 'Failed calls',
	all: 'Views of calls',
	failed: 'Failed views of calls',
}

function SpansSelect({
	search,
	onChange,
}: Pick<ListProps, 'search'> & { onChange(search: ExplorerSearch): void }) {
	const set = (change: object) => onChange(parseExplorerSearch({ ...search, ...change }))
	return (
		<Select
			aria-label="Which spans"
			className="w-36!"
			value={search.kind ?? search.calls ?? ''}
			onChange={({ target: { value } }) =>
				set(value in callNames ? { calls: value, kind: '' } : { kind: value, calls: '' })
			}
		>
			<option value="">All</option>
			{callChoices.map((choice) => (
				<option key={choice} value={choice}>
					{callNames[choice]}
				</option>
			))}
			{kinds.map((kind) => (
				<option key={kind} value={kind}>
					{kind === 'other' ? 'Other spans' : `${kindName[kind]}s`}
				</option>
			))}
		</Select>
	)
}

/** Without unset parameters. */
function tableOf(view: { [Key in keyof TableView]: TableView[Key] | undefined }): TableView {
	return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined))
}

interface ListProps {
	search: ExplorerSearch
	range: TimeRange
	table: TableView
	onTable(view: TableView): void
	onReset(): void
}

function Traces({ search, range, table, onTable, onReset }: ListProps) {
	const filter = explorerQuery(search)
	const query = useInfiniteQuery({
		queryKey: ['traces', filter],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/telemetry/traces', {
					params: { query: { ...filter, ...pageOf(pageParam) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => freshMs(range, state.data?.pages.length),
	})
	const loaded = query.data?.pages.flatMap((page) => page.traces) ?? []
	const traces = sortRows(loaded, traceColumns, table.sort)
	return (
		<List query={query} what="traces" count={traces.length} search={search} onReset={onReset}>
			<ListTools
				columns={traceColumns}
				view={table}
				onView={onTable}
				rows={traces}
				name="traces"
				isPartial={query.hasNextPage}
			/>
			<TraceTable traces={traces} view={table} onView={onTable} />
		</List>
	)
}

function Calls({ search, range, table, onTable, onReset }: ListProps) {
	const filter = explorerQuery(search)
	const query = useInfiniteQuery({
		queryKey: ['spans', 'explorer', filter],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/telemetry/spans', {
					params: { query: { ...filter, ...pageOf(pageParam) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => freshMs(range, state.data?.pages.length),
	})
	const loaded = query.data?.pages.flatMap((page) => page.spans) ?? []
	const spans = sortRows(loaded, callColumns, table.sort)
	return (
		<List query={query} what="calls" count={spans.length} search={search} onReset={onReset}>
			<ListTools
				columns={callColumns}
				view={table}
				onView={onTable}
				rows={spans}
				name="calls"
				isPartial={query.hasNextPage}
			/>
			<CallTable spans={spans} view={table} onView={onTable} />
		</List>
	)
}

/** The display options of the list. A sorted list says that only the loaded rows are sorted. */
function ListTools<T>({ isPartial, ...tools }: TableToolsProps<T> & { isPartial: boolean }) {
	const { rows, view, onView } = tools
	const sorted = tools.columns.find(({ sort }) => sort !== undefined && sort === view.sort)
	const { sort: _, ...unsorted } = view
	return (
		<div className="flex flex-wrap items-center justify-end gap-2 border-b border-line px-3 py-2">
			{sorted && (
				<p className="flex flex-1 flex-wrap items-center gap-2 text-xs text-ink-2">
					{isPartial ? `The newest ${formatCount(rows.length)}` : formatCount(rows.length)} sorted by{' '}
					{sorted.label.toLowerCase()}
					<Button small variant="ghost" onClick={() => onView(unsorted)}>
						Newest first
					</Button>
				</p>
			)}
			<TableTools {...tools} />
		</div>
	)
}

/** The first page is small and loads quickly; anyone who wants more gets large pages. */
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
	const {
		view: _view,
		start: _start,
		end: _end,
		columns: _columns,
		sort: _sort,
		density: _density,
		...conditions
	} = search
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
					title={isFiltered ? `No ${what} match` : `No ${what} in this period`}
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
						: 'They appear here automatically, about a second after they end.'}
				</Empty>
			) : (
				children
			)}
			<OlderButton what={what} query={query} />
		</Panel>
	)
}
