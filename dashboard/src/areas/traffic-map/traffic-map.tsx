import { useState } from 'react'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Edges, rowPx } from './edges.tsx'
import { columns, connectedNodes, layOut, type MapNode, maxNodes } from './layout.ts'
import { NodeBox } from './node-box.tsx'
import type { TrafficLine } from './traffic-lines.ts'

const titles = { agent: 'Agents', through: 'Servers and connections', target: 'Tools and models' } as const

/**
 * Agents, the servers and connections through which they call, and the tools and models they call. Pointing at a node, or focusing it,
 * highlights what it is connected to.
 */
export function TrafficMap({ lines }: { lines: readonly TrafficLine[] }) {
	const [chosen, setChosen] = useState<MapNode | null>(null)
	const layout = layOut(lines)
	const reach = chosen && connectedNodes(lines, chosen)
	const isFar = ({ key }: MapNode) => reach !== null && !reach.has(key)
	const rows = Math.max(...columns.map((column) => layout.nodes[column].length))
	return (
		<div {...scrollRegion('Traffic map')} className="overflow-x-auto p-4">
			<div className="relative grid min-w-[680px] grid-cols-[28%_28%_28%] justify-between">
				<Edges edges={layout.edges} rows={rows} isFar={isFar} />
				{columns.map((column) => (
					<section key={column} aria-label={titles[column]} className="min-w-0">
						<h3 className="flex h-8 items-center text-xs font-medium text-ink-3">{titles[column]}</h3>
						<ul>
							{layout.nodes[column].map((node) => (
								<li key={node.key} style={{ height: rowPx }} className="flex items-center">
									<NodeBox node={node} isFar={isFar(node)} onChoose={setChosen} />
								</li>
							))}
						</ul>
						{layout.left[column] > 0 && (
							<p className="text-xs text-ink-3">
								The {maxNodes} largest; {layout.left[column]} more in the table
							</p>
						)}
					</section>
				))}
			</div>
		</div>
	)
}
