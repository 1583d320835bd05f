import { lazy, Suspense, useState } from 'react'
import { Segmented } from './segmented.tsx'
import { SeriesTable } from './series-table.tsx'
import { Skeleton } from './states.tsx'

export interface Series {
	name: string
	points: readonly { start: string; value: number | null }[]
	/** A colour of the page; by default the next one. */
	colour?: string
	/** As a dashed line over the others: something to compare with. */
	dashed?: true
}

export interface TimeChartProps {
	label: string
	start: string
	end: string
	intervalMs: number
	series: readonly Series[]
	/** With its unit. */
	format(value: number): string
	/** Bars upon each other, for what adds up; else lines. */
	stacked?: boolean
	/** Of the drawing. */
	heightPx?: number
	/** A stretch was chosen by dragging. */
	onZoom?(start: string, end: string): void
}

// Where the drawing cannot be loaded (an old browser) its twin, the table, stands in.
const Drawing = lazy(() => {
	nameKnownLanguage()
	return import('./chart-drawing.tsx').then(
		({ ChartDrawing }) => ({ default: ChartDrawing }),
		() => ({ default: SeriesTable }),
	)
})

/** The drawing formats numbers in the browser's language when it is loaded; `en-US@posix`, as of a bare Linux, is none that browsers know. */
function nameKnownLanguage(): void {
	try {
		new Intl.NumberFormat(navigator.language)
	} catch {
		Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
	}
}

const views = [
	{ value: 'chart', label: 'Chart' },
	{ value: 'table', label: 'Table' },
] as const

/** Values over time, drawn or as a table. */
export function TimeChart(props: TimeChartProps) {
	const [view, setView] = useState<'chart' | 'table'>('chart')
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-2">
			<div className="flex justify-end">
				<Segmented<'chart' | 'table'> label="View" value={view} options={views} onChange={setView} />
			</div>
			{view === 'table' ? (
				<SeriesTable {...props} />
			) : (
				<Suspense fallback={<Skeleton className="h-60" />}>
					<Drawing {...props} />
				</Suspense>
			)}
		</div>
	)
}
