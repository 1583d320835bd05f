import type { Party, TrafficLine } from './traffic-lines.ts'

export const columns = ['agent', 'through', 'target'] as const
export type Column = (typeof columns)[number]

export interface MapNode extends Party {
	column: Column
	kind: TrafficLine['kind']
	calls: number
	errors: number
	/** Its row in the column, from the top. */
	row: number
}

export interface MapEdge {
	from: MapNode
	to: MapNode
	calls: number
	errors: number
}

export interface MapLayout {
	nodes: Record<Column, readonly MapNode[]>
	edges: readonly MapEdge[]
	/** How many parties of a column are shown only in the table. */
	left: Record<Column, number>
}

export const maxNodes = 14

/** The largest parties of each column, and the flows between those that are shown. */
export function layOut(lines: readonly TrafficLine[]): MapLayout {
	const all = {
		agent: nodesOf(lines, 'agent'),
		through: nodesOf(lines, 'through'),
		target: nodesOf(lines, 'target'),
	}
	const nodes = { agent: shown(all.agent), through: shown(all.through), target: shown(all.target) }
	return {
		nodes,
		edges: [...edgesOf(lines, nodes, 'agent', 'through'), ...edgesOf(lines, nodes, 'through', 'target')],
		left: {
			agent: all.agent.length - nodes.agent.length,
			through: all.through.length - nodes.through.length,
			target: all.target.length - nodes.target.length,
		},
	}
}

function nodesOf(lines: readonly TrafficLine[], column: Column): MapNode[] {
	const nodes = new Map<string, MapNode>()
	for (const line of lines) {
		const party = line[column]
		const node = nodes.get(party.key) ?? { ...party, column, kind: line.kind, calls: 0, errors: 0, row: 0 }
		node.calls += line.calls
		node.errors += line.errors
		nodes.set(party.key, node)
	}
	return [...nodes.values()].sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1))
}

function shown(nodes: readonly MapNode[]): MapNode[] {
	return nodes.slice(0, maxNodes).map((node, row) => ({ ...node, row }))
}

function edgesOf(
	lines: readonly TrafficLine[],
	nodes: Record<Column, readonly MapNode[]>,
	left: Column,
	right: Column,
): MapEdge[] {
	const edges = new Map<string, MapEdge>()
	for (const line of lines) {
		const from = nodes[left].find(({ key }) => key === line[left].key)
		const to = nodes[right].find(({ key }) => key === line[right].key)
		if (!from || !to) continue
		const key = `${from.key} → ${to.key}`
		const edge = edges.get(key) ?? { from, to, calls: 0, errors: 0 }
		edge.calls += line.calls
		edge.errors += line.errors
		edges.set(key, edge)
	}
	return [...edges.values()]
}

/** The nodes that share a line with one, including itself. */
export function connectedNodes(
	lines: readonly TrafficLine[],
	node: Pick<MapNode, 'column' | 'key'>,
): Set<string> {
	const common = lines.filter((line) => line[node.column].key === node.key)
	return new Set(common.flatMap((line) => columns.map((column) => line[column].key)))
}
