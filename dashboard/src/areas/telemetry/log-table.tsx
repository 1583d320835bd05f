import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api.ts'
import { formatDateTime, formatMoment } from '../../lib/format.ts'
import { showHidden } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { actionLinkClass } from '../../ui/link.ts'
import { RowChunks } from '../../ui/row-chunks.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { severityName } from './logs-search.ts'

type Log = Schemas['LogRecord']

/** One row per record, with its attributes below when it is opened. */
export function LogTable({ logs }: { logs: readonly Log[] }) {
	return (
		<Table label="Log records, newest first">
			<thead>
				<tr>
					<Th>Time</Th>
					<Th>Severity</Th>
					<Th>Service</Th>
					<Th>Record</Th>
					<ThActions label="More" />
				</tr>
			</thead>
			<RowChunks rows={keyed(logs)} columns={5} row={({ key, log }) => <LogRows key={key} log={log} />} />
		</Table>
	)
}

/** Records have no id; those with equal time and text are distinguished by their order. */
function keyed(logs: readonly Log[]): { key: string; log: Log }[] {
	const seen = new Map<string, number>()
	return logs.map((log) => {
		const same = `${log.time_unix_nano ?? log.recorded_at} ${textOf(log)}`
		const count = (seen.get(same) ?? 0) + 1
		seen.set(same, count)
		return { key: `${same} ${count}`, log }
	})
}

function LogRows({ log }: { log: Log }) {
	const [isOpen, setIsOpen] = useState(false)
	return (
		<>
			<Row>
				<Td className="whitespace-nowrap text-ink-2 tabular-nums" title={formatDateTime(log.recorded_at)}>
					{formatMoment(log.recorded_at)}
				</Td>
				<Td>
					<Severity log={log} />
				</Td>
				<Td className="max-w-40 truncate text-ink-2">{log.service_name ?? '–'}</Td>
				<Td className="max-w-xl min-w-56">
					<span className="line-clamp-2 font-mono text-xs break-words">{showHidden(textOf(log))}</span>
				</Td>
				<Td right>
					<Button small variant="ghost" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
						Details<span className="sr-only"> of {showHidden(textOf(log)).slice(0, 80)}</span>
						<Icon name="chevron" className={cn('size-3.5 transition-transform', isOpen && 'rotate-90')} />
					</Button>
				</Td>
			</Row>
			{isOpen && (
				<tr>
					<td colSpan={5} className="border-b border-line bg-sunken px-4 py-3">
						<Details log={log} />
					</td>
				</tr>
			)}
		</>
	)
}

function Details({ log }: { log: Log }) {
	const { body, attributes, resource, scope, event_name } = log
	return (
		<>
			{log.trace_id && (
				<p className="mb-2">
					<Link
						to="/traces/$traceId"
						params={{ traceId: log.trace_id }}
						search={log.span_id ? { span: log.span_id } : {}}
						className={actionLinkClass}
					>
						Open the trace
					</Link>
				</p>
			)}
			<JsonView value={{ event_name, body, attributes, resource, scope }} label="Full record" />
		</>
	)
}

function Severity({ log: { severity_number, severity_text } }: { log: Log }) {
	const name = severity_number > 0 ? severityName(severity_number) : severity_text || '–'
	const tone: Tone = severity_number >= 17 ? 'bad' : severity_number >= 13 ? 'warn' : 'idle'
	return (
		<Badge tone={tone} {...(tone === 'idle' && { icon: null })}>
			{name}
		</Badge>
	)
}

function textOf({ body, event_name }: Log): string {
	if (typeof body === 'string' && body !== '') return body
	if (body === null || body === '') return event_name ?? '(no body)'
	return JSON.stringify(body)
}
