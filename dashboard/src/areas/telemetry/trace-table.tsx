import { Link, useNavigate } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { formatCount, formatDateTime, formatMs } from '../../lib/format.ts'
import { RowChunks } from '../../ui/row-chunks.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'

type Trace = Schemas['TraceSummary']

/** One line a trace. */
export function TraceTable({ traces }: { traces: readonly Trace[] }) {
	return (
		<Table label="Traces, newest first">
			<thead>
				<tr>
					<Th>Started</Th>
					<Th>Name</Th>
					<Th>Outcome</Th>
					<Th>Services</Th>
					<Th>Session</Th>
					<Th right>Spans</Th>
					<Th right>Duration</Th>
				</tr>
			</thead>
			<RowChunks rows={traces} columns={7} row={(trace) => <TraceRow key={trace.trace_id} trace={trace} />} />
		</Table>
	)
}

function TraceRow({ trace }: { trace: Trace }) {
	const navigate = useNavigate()
	const target = { to: '/traces/$traceId', params: { traceId: trace.trace_id } } as const
	return (
		<Row className="cursor-pointer" onClick={() => void navigate(target)}>
			<Td className="whitespace-nowrap text-ink-2 tabular-nums">{formatDateTime(trace.started_at)}</Td>
			<Td className="max-w-80 min-w-44">
				<Link
					{...target}
					onClick={(event) => event.stopPropagation()}
					className="block truncate font-medium hover:underline"
				>
					{trace.name}
				</Link>
			</Td>
			<Td>
				{trace.errors === 0 ? (
					<Badge tone="ok">ok</Badge>
				) : (
					<Badge tone="bad">error ({formatCount(trace.errors)})</Badge>
				)}
			</Td>
			<Td className="max-w-56 truncate text-ink-2">{trace.services.join(', ') || '–'}</Td>
			<Td className="max-w-40 truncate text-ink-2">{trace.session_id ?? '–'}</Td>
			<Td right>{formatCount(trace.spans)}</Td>
			<Td right>{formatMs(trace.duration_ms)}</Td>
		</Row>
	)
}
