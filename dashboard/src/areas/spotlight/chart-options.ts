import uPlot from 'uplot'

export const chartHeightPx = 220

/** How the chart looks and behaves; its colours are those of the page at this moment. */
export function chartOptions(
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
		height: chartHeightPx,
		padding: [10, 20, 0, 0],
		legend: { show: false },
		cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
		scales: {
			x: { range: (chart, from, to) => [from - half(chart), to + half(chart)] },
			y: { range: (_chart, _least, most) => [0, Math.max(4, Math.ceil((most ?? 0) * 1.1))] },
		},
		axes: [
			{ ...axis, grid: { show: false }, size: 28, values: (_chart, moments) => moments.map(toTick) },
			{
				...axis,
				size: 44,
				incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
			},
		],
		series: [
			{},
			bars(colour('--model')),
			bars(colour('--tool')),
			bars(colour('--bad')),
			{ stroke: colour('--ink-3'), width: 1.5, dash: [4, 4], points: { show: false } },
		],
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

/** Half a bucket, so that the first and the last bar are whole. */
function half(chart: uPlot): number {
	const [first = 0, second = first + 60] = chart.data[0]
	return (second - first) / 2
}
