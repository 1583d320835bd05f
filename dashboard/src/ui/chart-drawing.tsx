import { useEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useIsDark } from '../lib/theme.ts'
import { axisRange } from '../lib/time-range.ts'
import { inTimeZone, isDayStart, timeTicks, timeZone } from '../lib/time-zone.ts'
import { cn } from './cn.ts'
import type { Series, TimeChartProps } from './time-chart.tsx'

const defaultHeightPx = 220
const palette = ['tool', 'model', 'ok', 'warn', 'bad', 'accent-strong', 'other', 'ink-2'] as const
/** Only the first series are drawn; the table has all. */
const drawnAtMost = palette.length

interface Drawn extends Series {
	colour: string
}

interface Pointed {
	index: number
	leftPx: number
}

/** One chart for every screen: axes with units, a cross-hair that shows the values under it, and zooming by dragging. */
export function ChartDrawing(props: TimeChartProps) {
	const place = useRef<HTMLDivElement>(null)
	const chart = useRef<uPlot | null>(null)
	const latest = useRef(props)
	latest.current = props
	const [pointed, setPointed] = useState<Pointed | null>(null)
	const isDark = useIsDark()
	const drawn = useMemo(() => colours(props.series), [props.series])
	const grid = useMemo(() => toGrid(drawn), [drawn])
	const data = useMemo(() => toData(drawn, grid, props), [drawn, grid, props])
	const shape = `${isDark} ${props.stacked} ${props.heightPx} ${drawn.map(({ name, colour }) => name + colour).join()}`

	// biome-ignore lint/correctness/useExhaustiveDependencies: the theme and the series change what the chart reads once
	useEffect(() => {
		const element = place.current
		if (!element) return
		const made = new uPlot(optionsOf(element, drawn, latest, setPointed), data, element)
		chart.current = made
		const watcher = new ResizeObserver(() =>
			made.setSize({ width: element.clientWidth, height: latest.current.heightPx ?? defaultHeightPx }),
		)
		watcher.observe(element)
		return () => {
			watcher.disconnect()
			made.destroy()
		}
	}, [shape])
	useEffect(() => {
		if (chart.current?.data !== data) chart.current?.setData(data)
	}, [data])

	return (
		<div>
			<Legend series={drawn} more={props.series.length - drawn.length} />
			<div className="relative">
				<div
					ref={place}
					role="img"
					aria-label={`${props.label} over time; the table view has every value`}
					// It is redrawn a moment after its container became narrower, and must not widen the page until then.
					className="min-w-0 overflow-hidden"
				/>
				{pointed && grid[pointed.index] !== undefined && (
					<Tooltip
						atMs={grid[pointed.index] as number}
						leftPx={pointed.leftPx}
						widthPx={place.current?.clientWidth ?? 0}
						intervalMs={props.intervalMs}
						rows={drawn.map((series) => ({ series, value: valueAt(series, grid[pointed.index] as number) }))}
						format={props.format}
					/>
				)}
			</div>
			<p className="mt-1 flex flex-wrap justify-between gap-x-4 text-xs text-ink-3">
				<span>
					{describeInterval(props.intervalMs, grid[0])} · {timeZone}
				</span>
				{props.onZoom && <span className="hidden sm:inline">Drag to zoom</span>}
			</p>
		</div>
	)
}

const dayMs = 86_400_000

/** The days of calls begin at midnight in UTC, which need not be midnight in the person's time zone. */
function describeInterval(ms: number, firstMs = 1): string {
	const units = [
		['d', dayMs],
		['h', 3_600_000],
		['min', 60_000],
		['s', 1000],
	] as const
	const unit = units.find(([, size]) => ms >= size && ms % size === 0)
	const length = unit ? `${ms / unit[1]} ${unit[0]}` : `${ms} ms`
	const isByDay = ms % dayMs === 0 && firstMs % dayMs === 0
	return `${length} intervals${isByDay && timeZone !== 'UTC' ? ' from midnight UTC' : ''}`
}

function colours(series: readonly Series[]): Drawn[] {
	let next = 0
	return series.slice(0, drawnAtMost).map((one) => ({
		...one,
		colour: one.colour ?? (one.dashed ? 'ink-3' : (palette[next++ % palette.length] as string)),
	}))
}

/** All times in any of the series, in order. */
function toGrid(drawn: readonly Drawn[]): number[] {
	const moments = new Set(drawn.flatMap(({ points }) => points.map(({ start }) => Date.parse(start))))
	return [...moments].sort((a, b) => a - b)
}

function valueAt({ points }: Series, atMs: number): number | null {
	return points.find(({ start }) => Date.parse(start) === atMs)?.value ?? null
}

/**
 * At the middle of their intervals. In a stack, each series is the sum with all below it, highest first, so that the lower ones cover
 * it.
 */
function toData(drawn: readonly Drawn[], grid: readonly number[], props: TimeChartProps): uPlot.AlignedData {
	const half = props.intervalMs / 2
	const rows = drawn.map(({ points }) => {
		const byStart = new Map(points.map(({ start, value }) => [Date.parse(start), value]))
		return grid.map((atMs) => byStart.get(atMs) ?? null)
	})
	if (props.stacked) {
		const sums = grid.map(() => 0)
		drawn.forEach(({ dashed }, at) => {
			if (dashed) return
			rows[at] = (rows[at] as (number | null)[]).map((value, x) => {
				sums[x] = (sums[x] as number) + (value ?? 0)
				return sums[x] as number
			})
		})
	}
	return [grid.map((atMs) => (atMs + half) / 1000), ...inDrawingOrder(drawn, rows)]
}

/** Stacks are drawn from the top down, and the comparison over everything. */
function inDrawingOrder<T>(drawn: readonly Drawn[], of: readonly T[]): T[] {
	const pairs = of.map((one, at) => ({ one, dashed: drawn[at]?.dashed }))
	return [...pairs.filter(({ dashed }) => !dashed).reverse(), ...pairs.filter(({ dashed }) => dashed)].map(
		({ one }) => one,
	)
}

function optionsOf(
	element: HTMLElement,
	drawn: readonly Drawn[],
	latest: { current: TimeChartProps },
	onPoint: (pointed: Pointed | null) => void,
): uPlot.Options {
	const colour = (name: string) =>
		getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
	const axis: uPlot.Axis = {
		stroke: colour('ink-3'),
		font: '11px "Geist", sans-serif',
		grid: { stroke: colour('line'), width: 1 },
		ticks: { show: false },
	}
	const half = () => latest.current.intervalMs / 2000
	const [startS, endS] = [
		() => Date.parse(latest.current.start) / 1000,
		() => Date.parse(latest.current.end) / 1000,
	]
	const bars = (uPlot.paths.bars as uPlot.Series.BarsPathBuilderFactory)({ size: [0.78, 28], radius: 0.1 })
	const toSeries = ({ colour: name, dashed }: Drawn): uPlot.Series => {
		if (dashed) return { stroke: colour(name), width: 1.5, dash: [4, 4], points: { show: false } }
		if (latest.current.stacked) return { fill: colour(name), width: 0, points: { show: false }, paths: bars }
		// A series with half the resolution of the chart is drawn across the gaps.
		return { stroke: colour(name), width: 1.75, points: { show: true, size: 4 }, gaps: longGaps(half) }
	}
	return {
		width: element.clientWidth,
		height: latest.current.heightPx ?? defaultHeightPx,
		// On the right there is room for half of a date, which is centred at the end of the axis.
		padding: [10, 24, 0, 0],
		legend: { show: false },
		tzDate: (atS) => uPlot.tzDate(new Date(atS * 1000), timeZone),
		cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
		scales: {
			x: {
				range: ({ data: [timesS] }) => axisRange(timesS, { startS: startS(), endS: endS(), halfS: half() }),
			},
			y: {
				range: (_chart, least, most) => {
					const low = Math.min(0, least ?? 0)
					return [low, (most ?? 0) <= low ? low + 1 : (most ?? 0) + ((most ?? 0) - low) * 0.08]
				},
			},
		},
		axes: [
			{
				...axis,
				grid: { show: false },
				size: 28,
				space: 64,
				// uPlot's own are not at midnight after a change by half an hour.
				splits: (_chart, _axis, fromS, toS, stepS) =>
					timeTicks(fromS * 1000, toS * 1000, stepS * 1000).map((ms) => ms / 1000),
				values: (_chart, moments) => moments.map(toTick),
			},
			{
				...axis,
				size: (_chart, values) => 14 + 6.5 * Math.max(3, ...(values ?? []).map((text) => text.length)),
				space: 36,
				values: (_chart, values) => values.map((value) => latest.current.format(value)),
			},
		],
		series: [{}, ...inDrawingOrder(drawn, drawn.map(toSeries))],
		hooks: {
			setCursor: [
				({ cursor }) =>
					onPoint(
						typeof cursor.idx === 'number' && (cursor.left ?? -1) >= 0
							? { index: cursor.idx, leftPx: (cursor.left ?? 0) + 50 }
							: null,
					),
			],
			setSelect: [
				(chart) => {
					const { left, width } = chart.select
					if (width < 4) return
					const toIso = (px: number) => new Date(chart.posToVal(px, 'x') * 1000).toISOString()
					latest.current.onZoom?.(toIso(left), toIso(left + width))
					chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
				},
			],
		},
	}
}

/** Gaps of more than two intervals. */
function longGaps(halfS: () => number): uPlot.Series.GapsRefiner {
	return (chart, _series, _from, _to, nullGaps) => {
		const [firstS = 0] = chart.data[0]
		const minPx = chart.valToPos(firstS + halfS() * 5, 'x', true) - chart.valToPos(firstS, 'x', true)
		return nullGaps.filter(([left, right]) => right - left > minPx)
	}
}

const dayTick = inTimeZone({ day: 'numeric', month: 'short' })
const timeTick = inTimeZone({ hour: '2-digit', minute: '2-digit' })
const dayAndTime = inTimeZone({ dateStyle: 'medium', timeStyle: 'short' })

/** The time of day; the date where a day begins. */
function toTick(seconds: number): string {
	return (isDayStart(seconds * 1000) ? dayTick : timeTick)(seconds * 1000)
}

const swatch = (colour: string) => ({ background: `var(--${colour})` })

function Legend({ series, more }: { series: readonly Drawn[]; more: number }) {
	return (
		<div className="mb-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-2">
			{series.map(({ name, colour, dashed }) => (
				<span key={name} className="inline-flex max-w-full items-center gap-1.5">
					<span
						className={cn('forced-color-adjust-none', dashed ? 'h-0.5 w-3' : 'size-2 rounded-xs')}
						style={swatch(colour)}
					/>
					<span className="truncate">{name || '(none)'}</span>
				</span>
			))}
			{more > 0 && <span className="text-ink-3">and {more} more in the table</span>}
		</div>
	)
}

interface TooltipProps extends Pick<TimeChartProps, 'format' | 'intervalMs'> {
	atMs: number
	leftPx: number
	widthPx: number
	rows: readonly { series: Drawn; value: number | null }[]
}

function Tooltip({ atMs, leftPx, widthPx, intervalMs, rows, format }: TooltipProps) {
	const isRight = leftPx > widthPx / 2
	const end = (intervalMs < dayMs ? timeTick : dayAndTime)(atMs + intervalMs)
	return (
		<div
			className="pointer-events-none absolute top-2 z-10 grid min-w-36 gap-0.5 rounded-md border border-line bg-surface px-2.5 py-2 text-xs shadow-float tabular-nums"
			style={isRight ? { right: widthPx - leftPx + 12 } : { left: leftPx + 12 }}
		>
			<span className="text-ink-3">
				{dayAndTime(atMs)} – {end}
			</span>
			{rows.map(({ series, value }) => (
				<span key={series.name} className="flex items-center gap-1.5">
					<span className="size-2 rounded-xs forced-color-adjust-none" style={swatch(series.colour)} />
					<span className="max-w-48 flex-1 truncate">{series.name || '(none)'}</span>
					<strong className="font-semibold">{value === null ? '–' : format(value)}</strong>
				</span>
			))}
		</div>
	)
}
