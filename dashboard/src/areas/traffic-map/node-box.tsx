import { Link } from '@tanstack/react-router'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import type { MapNode } from './layout.ts'
import { linkOf } from './links.ts'

interface NodeBoxProps {
	node: MapNode
	/** Not connected to the highlighted node. */
	isFar: boolean
	onChoose(node: MapNode | null): void
}

/** One party with its calls; links to its own screen, or to Spotlight. */
export function NodeBox({ node, isFar, onChoose }: NodeBoxProps) {
	return (
		<Link
			{...linkOf(node)}
			onPointerEnter={() => onChoose(node)}
			onPointerLeave={() => onChoose(null)}
			onFocus={() => onChoose(node)}
			onBlur={() => onChoose(null)}
			className={cn(
				'w-full min-w-0 rounded-lg border border-line bg-surface px-3 py-1 transition-opacity hover:border-ink-3',
				isFar && 'opacity-35',
			)}
		>
			<span className="block truncate font-medium" title={node.name}>
				{node.name}
			</span>
			<span className="block truncate text-xs text-ink-3 tabular-nums">
				{formatCompact(node.calls)} {node.calls === 1 ? 'call' : 'calls'}
				{node.errors > 0 && (
					<span className="text-bad"> · {formatPercent(node.errors / node.calls)} errors</span>
				)}
			</span>
		</Link>
	)
}
