import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { defaultRange, freshMs, isRelative, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { OlderButton } from '../../ui/older-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { LogTable } from './log-table.tsx'
import { LogsFilters } from './logs-filters.tsx'
import { type LogsSearch, parseLogsSearch } from './logs-search.ts'
import { NoTelemetry } from './no-telemetry.tsx'

const exportFormats = ['csv', 'jsonl', 'otlp'] as const
const route = getRouteApi('/_app/logs')

/** What did programs log, and about which call? */
export function LogsScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const { start = defaultRange.start, end, paused, ...filter } = search
	const range: TimeRange = { start, ...(end && { end }) }
	const query = useLogs(range, filter, paused === true)
	const logs = query.data?.pages.flatMap((page) => page.logs) ?? []
	const change = (next: LogsSearch) => void navigate({ search: next, replace: true })
	const setRange = (next: TimeRange) => change(parseLogsSearch({ ...filter, paused, ...next }))
	const isFiltered = Object.keys(filter).length > 0
	return (
		<Page
			title="Logs"
			description="Received log records, newest first. A call’s record links to its trace."
			actions={
				<>
					{isRelative(range) && (
						<Button
							icon={paused ? 'play' : 'pause'}
							onClick={() => change(parseLogsSearch({ ...search, paused: !paused }))}
						>
							{paused ? 'Resume' : 'Pause'}
						</Button>
					)}
					<ExportMenu
						path="/v1/telemetry/logs/export"
						formats={exportFormats}
						query={{ ...range, ...filter }}
					/>
					<RangePicker range={range} onChange={setRange} />
				</>
			}
		>
			<LogsFilters search={search} range={range} onChange={change}>
				<Panel flush>
					{query.isPending ? (
						<SkeletonRows rows={8} />
					) : query.isError && logs.length === 0 ? (
						<ErrorState error={query.error} retry={() => void query.refetch()} />
					) : logs.length > 0 ? (
						<LogTable logs={logs} />
					) : isFiltered ? (
						<Empty
							icon="search"
							title="No record matches"
							action={<Button onClick={() => change({})}>Clear the filters</Button>}
						>
							Remove a filter, or choose a longer period.
						</Empty>
					) : (
						<NoTelemetry what="log records" signal="logs" />
					)}
					<OlderButton what="records" query={query} />
				</Panel>
			</LogsFilters>
		</Page>
	)
}

function useLogs(range: TimeRange, filter: Omit<LogsSearch, 'start' | 'end' | 'paused'>, paused: boolean) {
	const asked = { ...range, ...filter }
	return useInfiniteQuery({
		queryKey: ['logs', asked],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/telemetry/logs', {
					params: { query: { ...asked, limit: 100, ...(pageParam && { cursor: pageParam }) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => !paused && freshMs(range, state.data?.pages.length),
	})
}
