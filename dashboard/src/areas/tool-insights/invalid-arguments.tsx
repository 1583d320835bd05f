import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatPercent } from '../../lib/format.ts'
import { Ago } from '../../ui/time.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, type InvalidArgument, insightQueries } from './queries.ts'
import { ServerLink, TraceLink } from './references.tsx'

const columns: readonly Column<InvalidArgument>[] = [
	{ label: 'Server', long: true, cell: ({ server }) => <ServerLink server={server} /> },
	{ label: 'Tool', long: true, cell: ({ tool }) => tool },
	{
		label: 'Argument',
		cell: ({ field }) =>
			field ? (
				<span className="font-mono text-xs font-medium">{field}</span>
			) : (
				<span className="text-ink-3">not said</span>
			),
	},
	{ label: 'Failures', right: true, cell: ({ failures }) => formatCompact(failures) },
	{ label: 'Of calls', right: true, cell: ({ calls }) => formatCompact(calls) },
	{ label: 'Share', right: true, cell: ({ failure_rate }) => formatPercent(failure_rate) },
	{ label: 'Agents', right: true, cell: ({ agents }) => formatCompact(agents) },
	{ label: 'Last', right: true, cell: ({ last_at }) => <Ago at={last_at} /> },
	{ label: 'Latest example', cell: ({ trace_id }) => <TraceLink traceId={trace_id}>Open</TraceLink> },
]

/** Which arguments do models get wrong? */
export function InvalidArgumentsInsight({ asked }: { asked: Asked }) {
	const query = useQuery({
		...insightQueries.arguments(asked),
		select: ({ invalid_arguments: rows, ...rest }) => ({ rows, ...rest }),
	})
	return (
		<InsightPanel
			label="Refused arguments"
			text="Arguments that servers refused. A better description of the argument usually helps; values are never recorded for this."
			query={query}
			columns={columns}
			keyOf={({ server, tool, field }) => `${server.id} ${tool} ${field}`}
			empty={{
				title: 'No argument was refused',
				text: 'Servers accepted the arguments of all calls in this period.',
			}}
		/>
	)
}
