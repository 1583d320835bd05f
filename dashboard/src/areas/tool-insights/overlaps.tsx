import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import { Badge } from '../../ui/status.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, insightQueries, type ToolOverlap } from './queries.ts'
import { ServerLink } from './references.tsx'

const columns: readonly Column<ToolOverlap>[] = [
	...(['first', 'second'] as const).flatMap((side): Column<ToolOverlap>[] => {
		const which = side === 'first' ? 'One' : 'Other'
		return [
			{
				label: `${which} tool`,
				long: true,
				cell: (row) => <span className="font-medium">{row[side].tool}</span>,
			},
			{ label: `${which} server`, long: true, cell: (row) => <ServerLink server={row[side].server} /> },
			{ label: `${which}: calls`, right: true, cell: (row) => formatCompact(row[side].calls) },
		]
	}),
	{
		label: 'Name',
		right: true,
		cell: ({ same_name, name_similarity }) =>
			same_name ? <Badge tone="warn">the same</Badge> : formatPercent(name_similarity),
	},
	{
		label: 'Description',
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
			text="Tools on different servers with nearly the same name or description. An agent that has both has to guess."
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
