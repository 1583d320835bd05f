import { lazy, Suspense, useState } from 'react'
import { Segmented } from './segmented.tsx'
import { SeriesTable } from './series-table.tsx'
import { Skeleton } from './states.tsx'

export interface Series {
	name: string
	points: readonly { start: string; value: number | null }[]
	/** A colour of the page. Default: the next one. */
	colour?: string
	/** Drawn as a dashed line over the others, for comparison. */
	dashed?: true
}

export interface TimeChartProps {
	label: string
	start: string
	end: string
	intervalMs: number
	series: readonly Series[]
	/** Includes the unit. */
	format(value: number): string
	/** Stacked bars, for values that can be added; otherwise lines. */
	stacked?: boolean
	/** Height of the drawing. */
	heightPx?: number
	/** Called when a range was chosen by dragging. */
	onZoom?(start: string, end: string): void
}

// If the drawing cannot be loaded (an old browser), the table is shown instead.
const Drawing = lazy(() => {
	nameKnownLanguage()
	return import('./chart-drawing.tsx').then(
		({ ChartDrawing }) => ({ default: ChartDrawing }),
		() => ({ default: SeriesTable }),
	)
})

/**
 * The drawing formats numbers in the browser's language when it is loaded. `en-US@posix`, as on a minimal Linux, is not a language
 * that browsers know.
 */
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
