import { useQuery } from '@tanstack/react-query'
import { formatCompact } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, insightQueries, type UnregisteredServer } from './queries.ts'
import { ServerLink, TraceLink } from './references.tsx'

const columns: readonly Column<UnregisteredServer>[] = [
	{
		label: 'Name',
		long: true,
		cell: ({ name }) => <span className="font-medium">{showDirections(name)}</span>,
	},
	{ label: 'Identified by', cell: ({ seen_as }) => seen_as },
	{
		label: 'Registered',
		long: true,
		cell: ({ registered_as }) =>
			registered_as ? <ServerLink server={registered_as} /> : <Badge tone="warn">no</Badge>,
	},
	{ label: 'Calls', right: true, cell: ({ calls }) => formatCompact(calls) },
	{ label: 'Errors', right: true, cell: ({ errors }) => formatCompact(errors) },
	{ label: 'Tools', right: true, cell: ({ tools }) => formatCompact(tools) },
	{ label: 'Called by', long: true, cell: ({ callers }) => callers.join(', ') || '–' },
	{ label: 'Last', right: true, cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
	{ label: 'Latest example', cell: ({ trace_id }) => <TraceLink traceId={trace_id}>Open</TraceLink> },
]

/** Which unregistered servers are called? */
export function UnregisteredInsight({ asked }: { asked: Asked }) {
	const query = useQuery({
		...insightQueries.unregistered(asked),
		select: ({ unregistered_servers: rows, ...rest }) => ({ rows, ...rest }),
	})
	return (
		<InsightPanel
			label="Unregistered servers"
			text="MCP servers that telemetry shows but the gateway did not see: no grants or limits applied. Calls to a registered one bypassed the gateway."
			query={query}
			columns={columns}
			keyOf={({ seen_as, name }) => `${seen_as} ${name}`}
			empty={{
				title: 'All calls went to registered servers',
				text: 'A server that only telemetry knows appears here.',
			}}
		/>
	)
}
