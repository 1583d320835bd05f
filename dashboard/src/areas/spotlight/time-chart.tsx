import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useIsDark } from '../../app/theme.ts'
import { formatCount } from '../../lib/format.ts'
import type { Timeseries } from './queries.ts'

const heightPx = 220

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
		const made = new uPlot(options(element, setHovered, zoom), toColumns(latest.current.series), element)
		chart.current = made
		const watcher = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: heightPx }))
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
			<Legend bucket={hovered === null ? undefined : series.buckets[hovered]} />
			<div
				ref={place}
				role="img"
				aria-label={`Calls over time, ${formatCount(total)} in all; the table view has every figure`}
			/>
		</div>
	)
}

function Legend({ bucket }: { bucket: Timeseries['buckets'][number] | undefined }) {
	const entries = [
		['bg-tool', 'Tool calls', bucket?.tool_calls],
		['bg-model', 'Model calls', bucket?.model_calls],
		['bg-bad', 'Errors', bucket?.errors],
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

/** Stacked from behind: all calls, then tool calls, then errors. */
function toColumns({ buckets, interval_ms }: Timeseries): uPlot.AlignedData {
	return [
		buckets.map(({ start }) => (Date.parse(start) + interval_ms / 2) / 1000),
		buckets.map((bucket) => bucket.tool_calls + bucket.model_calls),
		buckets.map((bucket) => bucket.tool_calls),
		buckets.map((bucket) => bucket.errors),
	]
}

function options(
	element: HTMLElement,
	onHover: (index: number | null) => void,
	onZoom: (from: number, to: number) => void,
): uPlot.Options {
	const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
	const bars = (fill: string): uPlot.Series => ({
		fill,
		width: 0,
		points: { show: false },
		paths: (uPlot.paths.bars as uPlot.Series.BarsPathBuilderFactory)({ size: [0.72, 28], radius: 0.15 }),
	})
	const axis: uPlot.Axis = {
		stroke: colour('--ink-3'),
		font: '11px "Geist", sans-serif',
		grid: { stroke: colour('--line'), width: 1 },
		ticks: { show: false },
	}
	return {
		width: element.clientWidth,
		height: heightPx,
		padding: [10, 12, 0, 0],
		legend: { show: false },
		cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
		scales: { y: { range: (_chart, _least, most) => [0, Math.max(4, Math.ceil((most ?? 0) * 1.1))] } },
		axes: [
			{ ...axis, grid: { show: false }, size: 28, values: (_chart, moments) => moments.map(toTick) },
			{
				...axis,
				size: 44,
				incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
			},
		],
		series: [{}, bars(colour('--model')), bars(colour('--tool')), bars(colour('--bad'))],
		hooks: {
			setCursor: [(chart) => onHover(chart.cursor.idx ?? null)],
			setSelect: [
				(chart) => {
					if (chart.select.width < 4) return
					onZoom(
						chart.posToVal(chart.select.left, 'x'),
						chart.posToVal(chart.select.left + chart.select.width, 'x'),
					)
					chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
				},
			],
		},
	}
}

const dayTick = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const timeTick = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** The time of day, and at midnight the day. */
function toTick(seconds: number): string {
	const date = new Date(seconds * 1000)
	const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
	return (isMidnight ? dayTick : timeTick).format(date)
}
