import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
	formatCompact,
	formatCount,
	formatCounted,
	formatDateTime,
	formatMs,
	formatPercent,
} from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import type { TableView } from '../../lib/table-view.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable, TableTools } from '../../ui/data-table.tsx'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import type { BreakdownRow, CallFilter, Sort } from '../spotlight/breakdowns.ts'
import { FacetBar } from '../spotlight/facet-bar.tsx'
import { allTokens, nanoUsdOf, shownCost, shownTokens } from '../spotlight/figures.tsx'
import { breakdownQuery } from '../spotlight/queries.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { pageOf } from './usage-links.ts'
import { rangeOf, type UsageSearch } from './usage-search.ts'

type Listed = 'sessions' | 'users' | 'tools' | 'models'
type SessionRow = BreakdownRow & {
	user_id?: string | null
	agent?: { id: string | null; name: string | null }
	client?: string | null
	ended_at?: string
}

const pages: Record<Listed, { title: string; noun: string; description: string; field: string }> = {
	sessions: {
		title: 'Sessions',
		noun: 'Session',
		description: 'Runs of agents: their calls, messages, tokens and cost.',
		field: 'session',
	},
	users: {
		title: 'Users',
		noun: 'User',
		description: 'Who agents act for, as clients and telemetry name them.',
		field: 'user',
	},
	tools: {
		title: 'Tools',
		noun: 'Tool',
		description: 'Tools called, and their results.',
		field: 'tool',
	},
	models: {
		title: 'Models',
		noun: 'Model',
		description: 'Models called, and their cost.',
		field: 'model',
	},
}

interface UsageListProps {
	by: Listed
	search: UsageSearch
	onSearch(search: UsageSearch): void
}

const firstRows = 100
const maxRows = 1000

/** Sessions, users, tools or models with their figures; the state of the list is in the address. */
export function UsageList({ by, search, onSearch }: UsageListProps) {
	const { title, noun, description, field } = pages[by]
	const [limit, setLimit] = useState(firstRows)
	const range = rangeOf(search)
	const defaultSort = by === 'sessions' ? 'last_seen' : 'calls'
	const sort = (search.sort ?? defaultSort) as Sort
	const named = [
		...(search.q ? [`${field}~=${search.q}`] : []),
		...(by === 'sessions' && search.user ? [`user~=${search.user}`] : []),
	]
	const conditions = [...(search.filter ?? []), ...named]
	// Restricts the values in the filters to the same calls as in the list.
	const listed = by === 'tools' ? ['kind=tool_call'] : by === 'models' ? ['kind=model_call'] : []
	const filter: CallFilter = conditions.length > 0 ? { filter: conditions.slice(0, 10) } : {}
	const query = useQuery(breakdownQuery({ by, range, filter, sort, limit, compare: false, groups: [] }))
	const rows = query.data?.rows ?? []
	const columns = columnsOf(by, noun)
	const set = (change: Partial<{ [K in keyof UsageSearch]: UsageSearch[K] | undefined }>) => {
		const { start: _start, end: _end, ...rest } = search
		onSearch({ ...('start' in change ? rest : search), ...change } as UsageSearch)
	}
	const table: TableView = {
		...(search.columns && { columns: search.columns }),
		...(search.density && { density: search.density }),
		sort,
	}
	const setTable = (next: TableView) =>
		set({
			columns: next.columns,
			density: next.density,
			sort: next.sort === defaultSort ? undefined : next.sort,
		})
	return (
		<Page
			wide
			title={title}
			description={description}
			actions={
				<>
					<TableTools
						columns={columns}
						view={table}
						onView={setTable}
						rows={rows}
						name={title.toLowerCase()}
					/>
					<RangePicker range={range} onChange={(next) => set(next)} />
				</>
			}
		>
			<FacetBar
				conditions={search.filter ?? []}
				also={[...named, ...listed]}
				onChange={(next) => set({ filter: next.length > 0 ? next : undefined })}
				range={range}
				of={by === 'sessions' ? 'sessions' : 'calls'}
				fields={facetFields.filter((one) => one !== field)}
				controlsActive={named.length}
				controls={
					<>
						<DelayedSearch
							label={`${noun} contains`}
							className="w-full max-w-none sm:w-40"
							value={search.q ?? ''}
							onChange={(q) => set({ q: q.trim() || undefined })}
						/>
						{by === 'sessions' && (
							<DelayedSearch
								label="User contains"
								className="w-full max-w-none sm:w-40"
								value={search.user ?? ''}
								onChange={(user) => set({ user: user.trim() || undefined })}
							/>
						)}
					</>
				}
			>
				<Panel title={query.data ? formatCounted(query.data.total, noun.toLowerCase()) : title} flush>
					{query.error && !query.data ? (
						<ErrorState error={query.error} retry={() => void query.refetch()} />
					) : !query.data ? (
						<SkeletonRows rows={8} />
					) : rows.length === 0 ? (
						<Empty icon="search" title={`No ${noun.toLowerCase()}s in this period`}>
							Choose a longer period{conditions.length > 0 && ', or clear the filter'}.
						</Empty>
					) : (
						<DataTable
							label={title}
							columns={columns}
							rows={rows}
							keyOf={({ key }) => key}
							view={table}
							onView={setTable}
							{...(by === 'sessions' && { compareOf })}
						/>
					)}
					{query.data && query.data.total > rows.length && limit < maxRows && (
						<div className="flex justify-center border-t border-line p-3">
							<Button onClick={() => setLimit(maxRows)}>
								Show {query.data.total > maxRows ? 'the first 1,000' : `all ${formatCount(query.data.total)}`}
							</Button>
						</div>
					)}
				</Panel>
			</FacetBar>
		</Page>
	)
}

const facetFields = [
	'status',
	'agent',
	'server',
	'tool',
	'model',
	'user',
	'client',
	'error_type',
	'connection',
]

const compareOf = (one: SessionRow, other: SessionRow) => ({
	to: '/compare' as const,
	search: { sessions: [one.name, other.name] as [string, string] },
})

/** Columns that apply to model calls; a tool has neither. */
const spend: readonly Column<SessionRow>[] = [
	{
		...{ key: 'tokens', label: 'Tokens', sort: 'tokens', isNumber: true as const },
		...{ show: shownTokens, value: (row) => allTokens(row) },
	},
	{
		...{ key: 'cost_usd', label: 'Cost', sort: 'cost', isNumber: true as const },
		show: shownCost,
		value: (row) => {
			const nano = nanoUsdOf(row)
			return nano === null ? null : nano / 1e9
		},
	},
]

function columnsOf(by: Listed, noun: string): Column<SessionRow>[] {
	const text = (
		key: string,
		label: string,
		of: (row: SessionRow) => string | null | undefined,
		extra = {},
	) => ({
		...{ key, label, value: (row: SessionRow) => of(row) ?? '', show: (row: SessionRow) => of(row) ?? '–' },
		...extra,
	})
	const lengthMs = ({ ended_at, last_seen_at, first_seen_at }: SessionRow) =>
		Date.parse(ended_at ?? last_seen_at) - Date.parse(first_seen_at)
	const isSession = by === 'sessions'
	const own: Column<SessionRow>[] = [
		{
			...{ key: 'name', label: noun, value: ({ name }) => name },
			show: (row) => <Name by={by} row={row} />,
		},
		...(isSession
			? [
					{
						...text('user', 'User', ({ user_id }) => user_id),
						show: ({ user_id }: SessionRow) =>
							user_id ? (
								<Link to="/users" search={{ user: user_id }} className="hover:underline">
									{user_id}
								</Link>
							) : (
								'–'
							),
					},
					text('agent', 'Agent', ({ agent }) => agent?.name),
					text('client', 'Client', ({ client }) => client, { extra: true }),
				]
			: [
					text(
						'detail',
						by === 'models' ? 'Provider' : 'Server',
						({ detail }) => detail,
						by === 'users' ? { extra: true } : {},
					),
				]),
	]
	return [
		...own,
		{
			...{ key: 'calls', label: 'Calls', sort: 'calls', isNumber: true as const },
			...{ show: ({ calls }) => formatCompact(calls), value: ({ calls }) => calls },
		},
		{
			...{ key: 'errors', label: 'Errors', sort: 'errors', isNumber: true as const },
			show: ({ errors }) => <span className={errors > 0 ? 'text-bad' : ''}>{formatCompact(errors)}</span>,
			value: ({ errors }) => errors,
		},
		{
			...{ key: 'error_rate', label: 'Error rate', sort: 'error_rate', isNumber: true as const },
			...(isSession && { extra: true as const }),
			...{ show: ({ error_rate }) => formatPercent(error_rate), value: ({ error_rate }) => error_rate },
		},
		{
			...{ key: 'p50_ms', label: 'p50', isNumber: true as const, extra: true as const },
			...{ show: ({ latency_ms }) => formatMs(latency_ms.p50), value: ({ latency_ms }) => latency_ms.p50 },
		},
		{
			...{ key: 'p95_ms', label: 'p95', sort: 'p95', isNumber: true as const },
			...(isSession && { extra: true as const }),
			...{ show: ({ latency_ms }) => formatMs(latency_ms.p95), value: ({ latency_ms }) => latency_ms.p95 },
		},
		...(by === 'tools' ? [] : spend),
		...(isSession
			? [
					{
						...{ key: 'duration_ms', label: 'Duration', isNumber: true as const },
						...{ show: (row: SessionRow) => formatMs(lengthMs(row)), value: lengthMs },
					},
				]
			: []),
		{
			...{ key: 'first_seen_at', label: 'First seen', isNumber: true as const, extra: true as const },
			show: ({ first_seen_at }) => formatDateTime(first_seen_at),
			value: ({ first_seen_at }) => first_seen_at,
		},
		{
			...{ key: 'last_seen_at', label: 'Last seen', sort: 'last_seen', isNumber: true as const },
			...{ show: ({ last_seen_at }) => <Ago at={last_seen_at} />, value: ({ last_seen_at }) => last_seen_at },
		},
	]
}

function Name({ by, row }: { by: Listed; row: BreakdownRow }) {
	const page = pageOf(by, row)
	if (!page) return <span className="font-medium">{showDirections(row.name)}</span>
	return (
		<Link {...page} className="inline-flex min-h-6 max-w-full items-center font-medium hover:underline">
			<span className="truncate">{showDirections(row.name)}</span>
		</Link>
	)
}
