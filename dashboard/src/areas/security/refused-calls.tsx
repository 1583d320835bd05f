import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatCompact } from '../../lib/format.ts'
import { freshMs, type TimeRange } from '../../lib/time-range.ts'
import { Ago } from '../../ui/time.tsx'
import { type Column, InsightPanel } from '../tool-insights/insight-panel.tsx'
import { TraceLink } from '../tool-insights/references.tsx'

type Refusal = Schemas['ErrorFigures']

const columns: readonly Column<Refusal>[] = [
	{
		label: 'Reason',
		long: true,
		cell: ({ error_type }) => <span className="font-medium">{error_type?.replaceAll('_', ' ') ?? '–'}</span>,
	},
	{ label: 'Server', long: true, cell: ({ server }) => server.name ?? '–' },
	{ label: 'Tool or model', long: true, cell: ({ tool, model }) => tool || model || '–' },
	{ label: 'Calls', right: true, cell: ({ calls }) => formatCompact(calls) },
	{ label: 'Last', right: true, cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
	{ label: 'Latest example', cell: ({ trace_id }) => <TraceLink traceId={trace_id}>Open</TraceLink> },
]

function refusalsQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['spotlight', 'refused', range],
		queryFn: () =>
			unwrap(
				api.GET('/v1/spotlight/errors', { params: { query: { ...range, status: 'denied', limit: 50 } } }),
			),
		refetchInterval: freshMs(range),
	})
}

/** Refused calls by reason and target, most frequent first. */
export function RefusedCalls({ range }: { range: TimeRange }) {
	const query = useQuery({
		...refusalsQuery(range),
		select: ({ errors: rows, total }) => ({ rows, total, truncated: false }),
	})
	return (
		<InsightPanel
			label="Refused calls"
			text="Calls that were refused. Many refusals of one agent mean a missing grant, or probing."
			query={query}
			columns={columns}
			keyOf={({ error_type, server, tool, model, kind }) =>
				[error_type, server.id, tool, model, kind].join(' ')
			}
			empty={{
				title: 'No call was refused',
				text: 'Refusals of grants, budgets and limits appear here by their reason.',
			}}
		/>
	)
}
