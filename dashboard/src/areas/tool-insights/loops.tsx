import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { StatusBadge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, insightQueries, type RetryLoop } from './queries.ts'
import { AgentLink, ServerLink, TraceLink } from './references.tsx'

const columns: readonly Column<RetryLoop>[] = [
	{ label: 'Agent', long: true, cell: ({ agent }) => <AgentLink agent={agent} /> },
	{ label: 'Server', long: true, cell: ({ server }) => <ServerLink server={server} /> },
	{
		label: 'Tool',
		long: true,
		cell: ({ tool }) => <span className="font-medium">{showDirections(tool)}</span>,
	},
	{ label: 'Calls', right: true, cell: ({ calls }) => formatCompact(calls) },
	{ label: 'Failed', right: true, cell: ({ errors }) => formatCompact(errors) },
	{
		label: 'For',
		right: true,
		cell: ({ started_at, ended_at }) => formatMs(Date.parse(ended_at) - Date.parse(started_at)),
	},
	{
		label: 'Model cost during loop',
		right: true,
		cell: ({ model_cost_nano_usd: cost }) => formatNanoUsd(cost),
	},
	{ label: 'Ended', cell: ({ last_status }) => <StatusBadge status={last_status} /> },
	{ label: 'When', right: true, cell: ({ ended_at }) => <Ago at={ended_at} /> },
	{ label: 'Last call', cell: ({ trace_id }) => <TraceLink traceId={trace_id}>Open</TraceLink> },
]

/** Which agents repeat the same call, and what does it cost? */
export function LoopsInsight({ asked }: { asked: Asked }) {
	const query = useQuery({
		...insightQueries.loops(asked),
		select: ({ retry_loops: rows, ...rest }) => ({ rows, ...rest }),
	})
	return (
		<InsightPanel
			label="Retry loops"
			text="The same agent, tool and arguments three times or more, at most ten minutes apart."
			query={query}
			columns={columns}
			keyOf={({ trace_id, tool, started_at }) => `${trace_id} ${tool} ${started_at}`}
			empty={{
				title: 'No retry loops in this period',
				text: 'Loops of agents appear here, the longest first.',
			}}
		/>
	)
}
