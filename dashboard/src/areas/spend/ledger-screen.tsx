import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../../api.ts'
import { describeDimension, describePrice } from '../../lib/dimension-words.ts'
import { formatCount, formatCounted, formatDateTime, formatNanoUsd, formatRate } from '../../lib/format.ts'
import { defaultRange, freshMs, type TimeRange } from '../../lib/time-range.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { OlderButton } from '../../ui/older-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { type LedgerSearch, ledgerFilters, parseLedgerSearch } from './ledger-search.ts'

const route = getRouteApi('/_app/ledger')

type LedgerRow = Schemas['LedgerRow']

/** What was billed for each call, quantity by quantity? */
export function LedgerScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const { start = defaultRange.start, end, ...filter } = search
	const range: TimeRange = { start, ...(end && { end }) }
	const change = (next: LedgerSearch) => void navigate({ search: parseLedgerSearch({ ...next }) })
	const query = useInfiniteQuery({
		queryKey: ['ledger', range, filter],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/ledger', {
					params: { query: { ...range, ...filter, limit: 100, ...(pageParam && { cursor: pageParam }) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => freshMs(range, state.data?.pages.length),
	})
	const rows = query.data?.pages.flatMap(({ ledger }) => ledger) ?? []
	const sums = query.data?.pages[0]?.sums
	const isFiltered = Object.keys(filter).length > 0
	return (
		<Page
			title="Ledger"
			description="Billed usage of calls through the model proxy: one row per quantity of each call."
			actions={<RangePicker range={range} onChange={(next) => change({ ...filter, ...next })} />}
		>
			<div className="mb-3">
				<FilterChips
					chips={ledgerFilters.flatMap((name) => {
						const text = search[name]
						if (text === undefined) return []
						const { [name]: _, ...rest } = search
						return [{ name: name.replace(/_(id|uuid)$/, ''), text, onRemove: () => change(rest) }]
					})}
				/>
			</div>
			<Panel title={sums && <Sums sums={sums} />} flush>
				{query.isPending ? (
					<SkeletonRows rows={8} />
				) : query.isError && rows.length === 0 ? (
					<ErrorState error={query.error} retry={() => void query.refetch()} />
				) : rows.length === 0 ? (
					<NoRows isFiltered={isFiltered} onReset={() => change(range)} />
				) : (
					<LedgerTable rows={rows} onFilter={(more) => change({ ...search, ...more })} />
				)}
				<OlderButton what="rows" query={query} />
			</Panel>
		</Page>
	)
}

function Sums({ sums }: { sums: Schemas['LedgerSums'] }) {
	return (
		<span className="tabular-nums">
			{formatNanoUsd(sums.cost_nano_usd)} in {formatCounted(sums.rows, 'row')}
			{sums.unpriced_rows > 0 && (
				<span className="ml-2 font-normal text-warn">{formatCount(sums.unpriced_rows)} not in the sum</span>
			)}
		</span>
	)
}

function NoRows({ isFiltered, onReset }: { isFiltered: boolean; onReset(): void }) {
	if (isFiltered)
		return (
			<Empty
				icon="search"
				title="No row matches"
				action={<Button onClick={onReset}>Clear the filters</Button>}
			>
				Remove a filter, or choose a longer period.
			</Empty>
		)
	return (
		<Empty
			icon="model"
			title="No billed usage in this period"
			action={
				<Link to="/connections" className={buttonClass('primary')}>
					Connect a model provider
				</Link>
			}
		>
			Calls through a model connection appear here as soon as they end.
		</Empty>
	)
}

interface LedgerTableProps {
	rows: readonly LedgerRow[]
	onFilter(filter: LedgerSearch): void
}

function LedgerTable({ rows, onFilter }: LedgerTableProps) {
	return (
		<Table label="Ledger, newest first">
			<thead>
				<tr>
					<Th>Time</Th>
					<Th>Model</Th>
					<Th>Type</Th>
					<Th right>Quantity</Th>
					<Th right>Price per 1M</Th>
					<Th right>Cost</Th>
					<Th>Price source</Th>
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<Row key={`${row.trace_id} ${row.span_id} ${row.line}`}>
						<Td className="whitespace-nowrap text-ink-2 tabular-nums">
							<Link
								to="/traces/$traceId"
								params={{ traceId: row.trace_id }}
								search={{ span: row.span_id }}
								className="inline-flex min-h-6 items-center hover:underline"
							>
								{formatDateTime(row.started_at)}
							</Link>
						</Td>
						<Td className="max-w-56">
							<button
								type="button"
								title="Only this model"
								onClick={() => onFilter({ model: row.model })}
								className="block min-h-6 max-w-full truncate font-medium hover:underline"
							>
								{row.model}
							</button>
						</Td>
						<Td className="whitespace-nowrap">{describeDimension(row.dimension)}</Td>
						<Td right>{formatCount(row.quantity)}</Td>
						<Td right className="text-ink-2">
							{formatRate(row.nano_usd_per_million)}
							{row.factor !== '1/1' && ` × ${row.factor}`}
						</Td>
						<Td right className={row.cost_nano_usd === null ? 'text-warn' : ''}>
							{row.cost_nano_usd === null ? 'unpriced' : formatNanoUsd(row.cost_nano_usd)}
						</Td>
						<Td className="max-w-56 truncate text-xs text-ink-2" title={row.price ?? ''}>
							{describePrice(row.price)}
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
