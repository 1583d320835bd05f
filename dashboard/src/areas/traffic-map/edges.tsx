import { cn } from '../../ui/cn.ts'
import { columns, type MapEdge, type MapNode } from './layout.ts'

export const rowPx = 52
const headPx = 32
/** The left and right edges of the columns, in percent of the width. */
const spans = { agent: [0, 28], through: [36, 64], target: [72, 100] } as const

interface EdgesProps {
	edges: readonly MapEdge[]
	rows: number
	isFar(node: MapNode): boolean
}

/** The flows between the boxes; the wider, the more calls. They show nothing that the table does not. */
export function Edges({ edges, rows, isFar }: EdgesProps) {
	const height = headPx + rows * rowPx
	const most = Math.max(1, ...edges.map(({ calls }) => calls))
	return (
		<svg
			aria-hidden="true"
			viewBox={`0 0 100 ${height}`}
			preserveAspectRatio="none"
			width="100%"
			height={height}
			className="pointer-events-none absolute inset-x-0 top-0"
		>
			{edges.map((edge) => (
				<path
					key={`${edge.from.key} ${edge.to.key}`}
					d={curve(edge)}
					fill="none"
					vectorEffect="non-scaling-stroke"
					strokeWidth={1 + 9 * Math.sqrt(edge.calls / most)}
					strokeLinecap="butt"
					className={cn(
						'transition-opacity',
						toneOf(edge),
						isFar(edge.from) || isFar(edge.to) ? 'opacity-10' : 'opacity-55',
					)}
				/>
			))}
		</svg>
	)
}

function curve({ from, to }: MapEdge): string {
	const [, x1] = spans[from.column]
	const [x2] = spans[to.column]
	const y = ({ row }: MapNode) => headPx + (row + 0.5) * rowPx
	const middle = (x1 + x2) / 2
	return `M${x1} ${y(from)}C${middle} ${y(from)} ${middle} ${y(to)} ${x2} ${y(to)}`
}

/** A flow with at least this share of failed calls is drawn as bad. */
const badShare = 0.1

function toneOf({ calls, errors, from }: MapEdge): string {
	if (errors >= badShare * calls && errors > 0) return 'stroke-bad'
	const kind = from.column === columns[0] ? undefined : from.kind
	return kind === 'model_call' ? 'stroke-model' : 'stroke-tool'
}
