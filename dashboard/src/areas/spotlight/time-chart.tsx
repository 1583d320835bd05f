import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useIsDark } from '../../app/theme.ts'
import { formatCount } from '../../lib/format.ts'
import { chartHeightPx, chartOptions } from './chart-options.ts'
import type { Timeseries } from './queries.ts'

interface TimeChartProps {
	series: Timeseries
	/** A stretch was chosen by dragging. */
	onZoom(start: string, end: string): void
}

/** Bars of tool calls with model calls on top, and errors in front of both. Its twin is the table. */
export function TimeChart({ series, onZoom }: TimeChartProps) {
	const place = useRef<HTMLDivElement>(null)
	const chart = useRef<uPlot | null>(null)
	const latest = useRef({ series, onZoom })
	latest.current = { series, onZoom }
	const [hovered, setHovered] = useState<number | null>(null)
	const isDark = useIsDark()

	// biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that the chart reads once
	useEffect(() => {
		const element = place.current
		if (!element) return
		const zoom = (from: number, to: number) => latest.current.onZoom(toIso(from), toIso(to))
		const made = new uPlot(chartOptions(element, setHovered, zoom), toColumns(latest.current.series), element)
		chart.current = made
		const watcher = new ResizeObserver(() =>
			made.setSize({ width: element.clientWidth, height: chartHeightPx }),
		)
		watcher.observe(element)
		return () => {
			watcher.disconnect()
			made.destroy()
		}
	}, [isDark])

	useEffect(() => chart.current?.setData(toColumns(series)), [series])

	const total = series.buckets.reduce((sum, { calls }) => sum + calls, 0)
	return (
		<div className="px-2 pt-3 pb-2">
			<Legend
				bucket={hovered === null ? undefined : series.buckets[hovered]}
				before={series.previous_buckets && (series.previous_buckets[hovered ?? -1] ?? null)}
			/>
			<div
				ref={place}
				role="img"
				aria-label={`Calls over time, ${formatCount(total)} in all; the table view has every figure`}
			/>
		</div>
	)
}

type Bucket = Timeseries['buckets'][number]

interface LegendProps {
	bucket: Bucket | undefined
	/** Of the range before: null where none is pointed at, undefined where none is drawn. */
	before: Bucket | null | undefined
}

function Legend({ bucket, before }: LegendProps) {
	const entries = [
		['bg-tool', 'Tool calls', bucket?.tool_calls],
		['bg-model', 'Model calls', bucket?.model_calls],
		['bg-bad', 'Errors', bucket?.errors],
		...(before === undefined ? [] : [['bg-ink-3', 'Calls in the time before', before?.calls] as const]),
	] as const
	return (
		<div className="flex min-h-6 flex-wrap items-center gap-x-4 px-2 text-xs text-ink-2 tabular-nums">
			{entries.map(([colour, name, value]) => (
				<span key={name} className="inline-flex items-center gap-1.5">
					<span className={`size-2 rounded-xs ${colour}`} />
					{name}
					{value !== undefined && <strong className="font-semibold text-ink">{formatCount(value)}</strong>}
				</span>
			))}
			<span className="ml-auto text-ink-3">
				{bucket
					? new Date(bucket.start).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
					: 'Drag to zoom'}
			</span>
		</div>
	)
}

function toIso(seconds: number): string {
	return new Date(seconds * 1000).toISOString()
}

/** Stacked from behind: all calls, then tool calls, then errors; over them the calls of the range before. */
function toColumns({ buckets, previous_buckets, interval_ms }: Timeseries): uPlot.AlignedData {
	return [
		buckets.map(({ start }) => (Date.parse(start) + interval_ms / 2) / 1000),
		buckets.map((bucket) => bucket.tool_calls + bucket.model_calls),
		buckets.map((bucket) => bucket.tool_calls),
		buckets.map((bucket) => bucket.errors),
		buckets.map((_, at) => previous_buckets?.[at]?.calls ?? null),
	]
}
