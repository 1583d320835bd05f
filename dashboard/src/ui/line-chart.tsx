import { useState } from 'react'
import { formatDateTime } from '../lib/format.ts'
import { cn } from './cn.ts'
import { Segmented } from './segmented.tsx'
import { SeriesTable } from './series-table.tsx'

export interface Series {
	name: string
	points: readonly { start: string; value: number }[]
}

export interface LineChartProps {
	label: string
	start: string
	end: string
	intervalMs: number
	series: readonly Series[]
	format(value: number): string
}

/** Drawn are the first eight; the table has all. */
const colours = ['tool', 'model', 'ok', 'warn', 'bad', 'other', 'accent-strong', 'ink-2'] as const
const strokes: Record<(typeof colours)[number], string> = {
	tool: 'stroke-tool',
	model: 'stroke-model',
	ok: 'stroke-ok',
	warn: 'stroke-warn',
	bad: 'stroke-bad',
	other: 'stroke-other',
	'accent-strong': 'stroke-accent-strong',
	'ink-2': 'stroke-ink-2',
}
const fills: Record<(typeof colours)[number], string> = {
	tool: 'bg-tool',
	model: 'bg-model',
	ok: 'bg-ok',
	warn: 'bg-warn',
	bad: 'bg-bad',
	other: 'bg-other',
	'accent-strong': 'bg-accent-strong',
	'ink-2': 'bg-ink-2',
}
const [width, height] = [1000, 220]
const views = [
	{ value: 'chart', label: 'Chart' },
	{ value: 'table', label: 'Table' },
] as const

/** Values over time as lines; two intervals without data are a gap. Its twin is the table. */
export function LineChart(props: LineChartProps) {
	const [view, setView] = useState<'chart' | 'table'>('chart')
	return (
		<div>
			<div className="mb-2 flex justify-end">
				<Segmented<'chart' | 'table'>
					label="View"
					name={`view ${props.label}`}
					value={view}
					options={views}
					onChange={setView}
				/>
			</div>
			{view === 'table' ? <SeriesTable {...props} /> : <Drawing {...props} />}
		</div>
	)
}

function Drawing({ label, start, end, intervalMs, series, format }: LineChartProps) {
	const [hoveredMs, setHoveredMs] = useState<number | null>(null)
	const drawn = series.slice(0, colours.length)
	const [fromMs, toMs] = [Date.parse(start), Date.parse(end)]
	const values = drawn.flatMap(({ points }) => points.map(({ value }) => value))
	const [low, high] = bounds(values)
	const x = (iso: string) => ((Date.parse(iso) + intervalMs / 2 - fromMs) / (toMs - fromMs)) * width
	const y = (value: number) => height - ((value - low) / (high - low)) * height
	return (
		<div>
			<Legend
				series={drawn}
				more={series.length - drawn.length}
				at={hoveredMs}
				intervalMs={intervalMs}
				format={format}
			/>
			<div className="flex gap-2">
				<span
					className="flex flex-col justify-between text-right text-xs whitespace-nowrap text-ink-3 tabular-nums"
					aria-hidden="true"
				>
					<span>{format(high)}</span>
					<span>{format(low)}</span>
				</span>
				<svg
					role="img"
					aria-label={`${label} over time; the table view has every figure`}
					viewBox={`0 0 ${width} ${height}`}
					preserveAspectRatio="none"
					className="h-55 w-full min-w-0 overflow-visible border-b border-l border-line"
					onPointerMove={({ clientX, currentTarget }) => {
						const box = currentTarget.getBoundingClientRect()
						setHoveredMs(fromMs + ((clientX - box.left) / box.width) * (toMs - fromMs))
					}}
					onPointerLeave={() => setHoveredMs(null)}
				>
					<path d={`M0 ${height / 2}H${width}`} className="stroke-line" vectorEffect="non-scaling-stroke" />
					{drawn.map(({ name, points }, index) => (
						<path
							key={name}
							d={pathOf(points, intervalMs, x, y)}
							fill="none"
							strokeWidth="1.75"
							strokeLinecap="round"
							vectorEffect="non-scaling-stroke"
							className={strokes[colours[index] ?? 'tool']}
						/>
					))}
				</svg>
			</div>
			<p className="mt-1 flex justify-between text-xs text-ink-3 tabular-nums">
				<span>{formatDateTime(start)}</span>
				<span>{formatDateTime(end)}</span>
			</p>
		</div>
	)
}

/** From zero, unless something lies below it; never empty. */
function bounds(values: readonly number[]): [number, number] {
	const low = values.reduce((least, value) => Math.min(least, value), 0)
	const high = values.reduce((most, value) => Math.max(most, value), low)
	return [low, high === low ? low + 1 : high]
}

/** Intervals are joined over one without data, as of what is measured half as often; a lone one is a dot. */
function pathOf(
	points: Series['points'],
	intervalMs: number,
	x: (iso: string) => number,
	y: (value: number) => number,
): string {
	let lastMs = Number.NEGATIVE_INFINITY
	return points
		.map(({ start, value }) => {
			const isNext = Date.parse(start) - lastMs <= intervalMs * 2.5
			lastMs = Date.parse(start)
			return `${isNext ? 'L' : 'M'}${x(start).toFixed(1)} ${y(value).toFixed(1)}${isNext ? '' : 'h0.1'}`
		})
		.join('')
}

interface LegendProps extends Pick<LineChartProps, 'series' | 'intervalMs' | 'format'> {
	more: number
	at: number | null
}

function Legend({ series, more, at, intervalMs, format }: LegendProps) {
	const valueAt = ({ points }: Series) =>
		at === null
			? undefined
			: points.find(({ start }) => at >= Date.parse(start) && at < Date.parse(start) + intervalMs)?.value
	return (
		<div className="mb-2 flex min-h-6 flex-wrap items-center gap-x-4 text-xs text-ink-2 tabular-nums">
			{series.map((one, index) => {
				const value = valueAt(one)
				return (
					<span key={one.name} className="inline-flex max-w-full items-center gap-1.5">
						<span className={cn('size-2 shrink-0 rounded-xs', fills[colours[index] ?? 'tool'])} />
						<span className="truncate">{one.name || '(none)'}</span>
						{value !== undefined && <strong className="font-semibold text-ink">{format(value)}</strong>}
					</span>
				)
			})}
			{more > 0 && <span className="text-ink-3">and {more} more in the table</span>}
			{at !== null && (
				<span className="ml-auto text-ink-3">{formatDateTime(new Date(at).toISOString())}</span>
			)}
		</div>
	)
}
