import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatCount, formatDateTime } from '../../lib/format.ts'
import { defaultRange, isRelative, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import type { CallFilter } from './breakdowns.ts'
import { type Timeseries, type TimeseriesView, timeseriesQuery } from './queries.ts'

// Where the drawing cannot be loaded (an unusual locale, an old browser) its twin, the table, stands in.
const TimeChart = lazy(() =>
	import('./time-chart.tsx').then(
		({ TimeChart }) => ({ default: TimeChart }),
		() => ({ default: ActivityTable }),
	),
)

const GroupedActivity = lazy(async () => ({
	default: (await import('./grouped-activity.tsx')).GroupedActivity,
}))

type View = 'chart' | 'table'

const views = [
	{ value: 'chart', label: 'Chart' },
	{ value: 'table', label: 'Table' },
] as const satisfies readonly { value: View; label: string }[]

interface ActivityPanelProps {
	range: TimeRange
	filter?: CallFilter
	/** By groups, or beside the range before. */
	shown?: TimeseriesView
	/** More that can be done with it. */
	actions?: ReactNode
	onZoom(range: TimeRange): void
}

/** Calls over time, drawn or as a table. */
export function ActivityPanel({ range, filter = {}, shown = {}, actions, onZoom }: ActivityPanelProps) {
	const [view, setView] = useState<View>('chart')
	const { data, error, refetch } = useQuery(timeseriesQuery(range, filter, shown))
	const choices = (
		<>
			{!isRelative(range) && (
				<Button small variant="ghost" onClick={() => onZoom({ ...defaultRange })}>
					Reset zoom
				</Button>
			)}
			{!shown.group_by && (
				<Segmented<View> label="View" name="activity-view" value={view} options={views} onChange={setView} />
			)}
			{actions}
		</>
	)
	return (
		<Panel title="Activity" actions={choices} flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<Skeleton className="m-4 h-60" />
			) : shown.group_by ? (
				<Suspense fallback={<Skeleton className="m-4 h-60" />}>
					<GroupedActivity series={data} />
				</Suspense>
			) : view === 'table' ? (
				<ActivityTable series={data} />
			) : (
				<Suspense fallback={<Skeleton className="m-4 h-60" />}>
					<TimeChart series={data} onZoom={(start, end) => onZoom({ start, end })} />
				</Suspense>
			)}
		</Panel>
	)
}

function ActivityTable({ series }: { series: Timeseries; onZoom?: unknown }) {
	const buckets = series.buckets.filter(({ calls }) => calls > 0).toReversed()
	if (buckets.length === 0) return <p className="p-4 text-ink-3">No calls in this time.</p>
	return (
		<div className="max-h-80 overflow-y-auto">
			<Table label="Calls over time">
				<thead>
					<tr>
						<Th>From</Th>
						<Th right>Calls</Th>
						<Th right>Tool</Th>
						<Th right>Model</Th>
						<Th right>Errors</Th>
					</tr>
				</thead>
				<tbody>
					{buckets.map((bucket) => (
						<Row key={bucket.start}>
							<Td className="tabular-nums">{formatDateTime(bucket.start)}</Td>
							<Td right>{formatCount(bucket.calls)}</Td>
							<Td right>{formatCount(bucket.tool_calls)}</Td>
							<Td right>{formatCount(bucket.model_calls)}</Td>
							<Td right className={bucket.errors > 0 ? 'text-bad' : 'text-ink-3'}>
								{formatCount(bucket.errors)}
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
		</div>
	)
}
