import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import { Badge } from '../../ui/status.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, insightQueries, type ToolOverlap } from './queries.ts'
import { ServerLink } from './references.tsx'

const columnLabels = {
	first: ['Tool', 'Server', 'Calls'],
	second: ['Similar tool', 'On server', 'Its calls'],
} as const

const columns: readonly Column<ToolOverlap>[] = [
	...(['first', 'second'] as const).flatMap((side): Column<ToolOverlap>[] => {
		const [tool, server, calls] = columnLabels[side]
		return [
			{
				label: tool,
				long: true,
				cell: (row) => <span className="font-medium">{row[side].tool}</span>,
			},
			{ label: server, long: true, cell: (row) => <ServerLink server={row[side].server} /> },
			{ label: calls, right: true, cell: (row) => formatCompact(row[side].calls) },
		]
	}),
	{
		label: 'Name similarity',
		right: true,
		cell: ({ same_name, name_similarity }) =>
			same_name ? <Badge tone="warn">the same</Badge> : formatPercent(name_similarity),
	},
	{
		label: 'Description similarity',
		right: true,
		cell: ({ description_similarity }) => formatPercent(description_similarity),
	},
]

/** Which tools exist twice, so that models have to guess? */
export function OverlapsInsight({ asked }: { asked: Asked }) {
	const query = useQuery({
		...insightQueries.overlaps(asked),
		select: ({ overlaps: rows, ...rest }) => ({ rows, ...rest }),
	})
	return (
		<InsightPanel
			label="Tools of several servers"
			text="Tools on different servers with nearly the same name or description. An agent that has both must guess which to call."
			query={query}
			columns={columns}
			keyOf={({ first, second }) => `${first.server.id} ${first.tool} ${second.server.id} ${second.tool}`}
			empty={{
				title: 'No two servers have the same tool',
				text: 'Names and descriptions of all tools differ enough.',
			}}
		/>
	)
}
