import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { formatCount, formatDateTime, formatMoment, formatMs } from '../../lib/format.ts'
import type { TableView } from '../../lib/table-view.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Badge } from '../../ui/status.tsx'

type Trace = Schemas['TraceSummary']

interface TraceTableProps {
	traces: readonly Trace[]
	view: TableView
	onView(view: TableView): void
}

/** One row per trace. */
export function TraceTable({ traces, view, onView }: TraceTableProps) {
	return (
		<DataTable
			label="Traces, newest first"
			columns={traceColumns}
			rows={traces}
			keyOf={({ trace_id }) => trace_id}
			view={view}
			onView={onView}
			linkOf={linkOf}
		/>
	)
}

const linkOf = ({ trace_id }: Trace) => ({ to: '/traces/$traceId' as const, params: { traceId: trace_id } })

export const traceColumns: readonly Column<Trace>[] = [
	{
		...{ key: 'started', label: 'Started', className: 'text-ink-2 tabular-nums' },
		value: ({ started_at }) => started_at,
		show: ({ started_at }) => <span title={formatDateTime(started_at)}>{formatMoment(started_at)}</span>,
	},
	{
		...{
			key: 'name',
			label: 'Name',
			sort: 'name',
			className: 'max-w-80 min-w-44',
			value: ({ name }) => name,
		},
		show: (trace) => (
			<Link {...linkOf(trace)} className="block truncate font-medium hover:underline">
				{trace.name}
			</Link>
		),
	},
	{
		...{ key: 'errors', label: 'Status', sort: 'errors', value: ({ errors }) => errors },
		show: ({ errors }) =>
			errors === 0 ? <Badge tone="ok">ok</Badge> : <Badge tone="bad">error ({formatCount(errors)})</Badge>,
	},
	{
		...{ key: 'services', label: 'Services', sort: 'services', className: 'max-w-44 text-ink-2' },
		...{ value: ({ services }) => services.join(', '), show: ({ services }) => services.join(', ') || '–' },
	},
	{
		...{ key: 'session', label: 'Session', sort: 'session', className: 'max-w-40 text-ink-2' },
		...{ value: ({ session_id }) => session_id, show: ({ session_id }) => session_id ?? '–' },
	},
	{
		...{ key: 'spans', label: 'Spans', sort: 'spans', isNumber: true },
		...{ value: ({ spans }) => spans, show: ({ spans }) => formatCount(spans) },
	},
	{
		...{ key: 'duration_ms', label: 'Duration', sort: 'duration_ms', isNumber: true },
		...{ value: ({ duration_ms }) => duration_ms, show: ({ duration_ms }) => formatMs(duration_ms) },
	},
	{
		...{ key: 'trace_id', label: 'Trace ID', extra: true, className: 'font-mono text-xs' },
		...{ value: ({ trace_id }) => trace_id, show: ({ trace_id }) => trace_id },
	},
]
