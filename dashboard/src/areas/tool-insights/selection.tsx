import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, insightQueries, type SelectedTool } from './queries.ts'
import { AgentLink, ServerLink } from './references.tsx'

const columns: readonly Column<SelectedTool>[] = [
	{
		label: 'Tool',
		cell: ({ tool, calls, chosen }) => (
			<span className="flex items-center gap-2">
				<span className="max-w-56 truncate font-medium">{showDirections(tool)}</span>
				{calls + chosen === 0 && <Badge tone="warn">never called</Badge>}
			</span>
		),
	},
	{ label: 'Agent', long: true, cell: ({ agent }) => <AgentLink agent={agent} /> },
	{ label: 'Server', long: true, cell: ({ server }) => <ServerLink server={server} /> },
	{ label: 'Listed now', cell: ({ listed }) => (listed ? 'yes' : <span className="text-ink-3">no</span>) },
	{ label: 'Offered', right: true, cell: ({ offered }) => formatCompact(offered) },
	{ label: 'Called', right: true, cell: ({ chosen }) => formatCompact(chosen) },
	{ label: 'Selection rate', right: true, cell: ({ choice_rate }) => formatPercent(choice_rate) },
	{ label: 'Calls', right: true, cell: ({ calls }) => formatCompact(calls) },
	{
		label: 'Last called',
		right: true,
		cell: ({ last_called_at: last }) => (last ? <Ago at={last} /> : '–'),
	},
]

/** Which tools were agents offered, and which of them did they call? */
export function SelectionInsight({ asked }: { asked: Asked }) {
	const query = useQuery({
		...insightQueries.selection(asked),
		select: ({ tool_selection: rows, ...rest }) => ({ rows, ...rest }),
	})
	return (
		<InsightPanel
			label="Tools offered"
			text="Every listed tool costs tokens in each request. Tools that are offered most often and never called come first."
			query={query}
			columns={columns}
			keyOf={({ agent, server, tool }) => `${agent.id} ${server?.id} ${tool}`}
			empty={{
				title: 'No tool is offered',
				text: 'Give an agent access to a server, and its tools appear here.',
			}}
		/>
	)
}
