import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { formatCompact, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { defaultRange, isRelative, type TimeRange } from '../../lib/time-range.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { type Series, TimeChart } from '../../ui/time-chart.tsx'
import { alertRange } from '../alerts/alert-search.ts'
import { panelGroups } from '../dashboards/dashboard-search.ts'
import { useCan } from '../identity/session.ts'
import type { CallFilter } from './breakdowns.ts'
import { type Timeseries, type TimeseriesView, timeseriesQuery } from './queries.ts'
import { useNames } from './use-names.ts'

type Bucket = Timeseries['buckets'][number]
export type Measure = 'calls' | 'errors' | 'latency' | 'tokens' | 'cost'

interface Measured {
	label: string
	value(bucket: Bucket): number | null
	format(value: number): string
	/** Whether values can be added, so that series can be stacked. */
	adds: boolean
}

const measures: Record<Measure, Measured> = {
	calls: { label: 'Calls', value: ({ calls }) => calls, format: formatWhole, adds: true },
	errors: { label: 'Errors', value: ({ errors }) => errors, format: formatWhole, adds: true },
	latency: { label: 'Latency', value: ({ latency_ms }) => latency_ms.p95, format: formatMs, adds: false },
	tokens: { label: 'Tokens', value: ({ total_tokens }) => total_tokens, format: formatWhole, adds: true },
	cost: {
		label: 'Cost',
		value: ({ cost_nano_usd }) => Number(cost_nano_usd),
		format: (value) => formatNanoUsd(String(value)),
		adds: true,
	},
}
const choices = (Object.keys(measures) as Measure[]).map((value) => ({ value, label: measures[value].label }))

const figureOf = {
	calls: 'calls',
	errors: 'errors',
	latency: 'latency_p95_ms',
	tokens: 'tokens',
	cost: 'cost_usd',
} as const satisfies Record<Measure, string>

/** An alert can watch only a range that ends now, and conditions with single values. */
function AlertOnThis({
	figure,
	range,
	filter,
}: {
	figure: (typeof figureOf)[Measure]
	range: TimeRange
	filter: CallFilter
}) {
	const watched = isRelative(range) ? alertRange(range.start) : undefined
	const isPlain = Object.values(filter).every((value) => typeof value === 'string')
	if (!useCan('alerts:write') || !isPlain) return null
	return (
		<Link
			to="/alerts"
			search={{ watch: '', figure, range: watched ?? '24h', filter: filter as Record<string, string> }}
			className={buttonClass('ghost', true)}
		>
			Alert on this
		</Link>
	)
}

/** Adds the chart to a dashboard as a panel, if its conditions have single values. */
function AddToDashboard({
	measure,
	filter,
	shown,
}: {
	measure: Measure
	filter: CallFilter
	shown: TimeseriesView
}) {
	if (!useCan('questions:write')) return null
	const by = panelGroups.find((group) => group === shown.group_by?.[0])
	return (
		<Link
			to="/dashboards"
			search={{ add: { show: 'chart', measure, filter, ...(by && { group_by: by }) } }}
			className={buttonClass('ghost', true)}
		>
			Add to dashboard
		</Link>
	)
}

/** An axis has no label between two integers. */
function formatWhole(value: number): string {
	return Number.isInteger(value) ? formatCompact(value) : ''
}

interface ActivityPanelProps {
	range: TimeRange
	filter?: CallFilter
	/** Groups, or the previous range for comparison. */
	shown?: TimeseriesView
	/** Further actions on it. */
	actions?: ReactNode
	onZoom(range: TimeRange): void
}

/** Calls, errors, latency, tokens and cost over time. */
export function ActivityPanel({ range, filter = {}, shown = {}, actions, onZoom }: ActivityPanelProps) {
	const [measure, setMeasure] = useState<Measure>('calls')
	return (
		<Panel
			title="Activity"
			actions={
				<>
					{!isRelative(range) && (
						<Button small variant="ghost" onClick={() => onZoom({ ...defaultRange })}>
							Reset zoom
						</Button>
					)}
					<Segmented<Measure> label="Measure" value={measure} options={choices} onChange={setMeasure} />
					<AlertOnThis figure={figureOf[measure]} range={range} filter={filter} />
					<AddToDashboard measure={measure} filter={filter} shown={shown} />
					{actions}
				</>
			}
		>
			<ActivityChart range={range} filter={filter} shown={shown} measure={measure} onZoom={onZoom} />
		</Panel>
	)
}

interface ActivityChartProps
	extends Required<Pick<ActivityPanelProps, 'range' | 'filter' | 'shown' | 'onZoom'>> {
	measure: Measure
	heightPx?: number
}

/** One measure over time. */
export function ActivityChart({ range, filter, shown, measure, onZoom, heightPx }: ActivityChartProps) {
	const { data, error, refetch } = useQuery(timeseriesQuery(range, filter, shown))
	const names = useNames(shown.group_by ?? [])
	const { label, format, adds } = measures[measure]
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <Skeleton className="h-60" />
	return (
		<TimeChart
			label={label}
			start={data.start}
			end={data.end}
			intervalMs={data.interval_ms}
			stacked={adds}
			series={seriesOf(data, measure, names)}
			format={format}
			onZoom={(start, end) => onZoom({ start, end })}
			{...(heightPx && { heightPx })}
		/>
	)
}

/** One series per group if there are groups; otherwise the parts of the measure, next to the previous range. */
function seriesOf(data: Timeseries, measure: Measure, names: ReadonlyMap<string, string>): Series[] {
	const { value } = measures[measure]
	const points = (buckets: readonly Bucket[], of: (bucket: Bucket) => number | null) =>
		buckets.map((bucket) => ({ start: bucket.start, value: of(bucket) }))
	if (data.series)
		return largestFirst(
			data.series.map(({ group, buckets }) => ({
				name: Object.entries(group)
					.map(([name, text]) => names.get(text) ?? (text || `no ${name}`))
					.join(' · '),
				points: points(buckets, value),
			})),
		)
	const before = data.previous_buckets
	const previous: Series[] = before
		? [
				{
					name: 'Previous period',
					dashed: true,
					points: data.buckets.map(({ start }, at) => ({
						start,
						value: before[at] ? value(before[at]) : null,
					})),
				},
			]
		: []
	const parts = partsOf(measure)
		.filter(({ rare, of }) => !rare || data.buckets.some((bucket) => of(bucket)))
		.map(({ of, name, colour }) => ({ name, colour, points: points(data.buckets, of) }))
	return [...parts, ...previous]
}

/** Without groups in which the measure is always zero, unless that is all of them. */
function largestFirst(series: readonly Series[]): Series[] {
	const total = ({ points }: Series) => points.reduce((sum, { value }) => sum + (value ?? 0), 0)
	const some = series.filter((one) => total(one) > 0)
	return (some.length > 0 ? some : series).toSorted((a, b) => total(b) - total(a))
}

interface Part {
	name: string
	colour: string
	/** Shown only if there is a value. */
	rare?: true
	of(bucket: Bucket): number | null
}

function partsOf(measure: Measure): Part[] {
	if (measure === 'calls')
		return [
			{ name: 'Tool calls', colour: 'tool', of: ({ tool_calls }) => tool_calls },
			{ name: 'Model calls', colour: 'model', of: ({ model_calls }) => model_calls },
			{
				name: 'Other requests',
				colour: 'other',
				rare: true,
				of: ({ calls, tool_calls, model_calls }) => calls - tool_calls - model_calls,
			},
		]
	if (measure === 'latency')
		return [
			{ name: 'p50', colour: 'ok', of: ({ latency_ms }) => latency_ms.p50 },
			{ name: 'p95', colour: 'warn', of: ({ latency_ms }) => latency_ms.p95 },
			{ name: 'p99', colour: 'bad', of: ({ latency_ms }) => latency_ms.p99 },
		]
	const { label, value } = measures[measure]
	return [{ name: label, colour: measure === 'errors' ? 'bad' : 'model', of: value }]
}
