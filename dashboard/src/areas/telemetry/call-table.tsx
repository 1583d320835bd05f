import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatCompact, formatDateTime, formatMoment, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { RowChunks } from '../../ui/row-chunks.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { kindIcon, kindName, kindText, outcomeOf, subjectOf, tokensOf } from './describe-span.ts'
import type { Span } from './queries.ts'

/** One line a call. `fresh` are those that arrived while watching; they glow once. */
export function CallTable({ spans, fresh = [] }: { spans: readonly Span[]; fresh?: readonly Span[] }) {
	const arrived = useMemo(() => new Set(fresh.map(({ span_id }) => span_id)), [fresh])
	return (
		<Table label="Calls, newest first">
			<thead>
				<tr>
					<Th>Time</Th>
					<Th>Outcome</Th>
					<Th>What</Th>
					<Th>Agent</Th>
					<Th right>Duration</Th>
					<Th right>Tokens</Th>
					<Th right>Cost</Th>
				</tr>
			</thead>
			<RowChunks
				rows={spans}
				columns={7}
				row={(span) => (
					<CallRow key={`${span.trace_id}${span.span_id}`} span={span} isFresh={arrived.has(span.span_id)} />
				)}
			/>
		</Table>
	)
}

function CallRow({ span, isFresh }: { span: Span; isFresh: boolean }) {
	const navigate = useNavigate()
	const target = {
		to: '/traces/$traceId',
		params: { traceId: span.trace_id },
		search: { span: span.span_id },
	} as const
	const tokens = tokensOf(span)
	const trouble = span.status !== 'ok' && (span.status_message || span.error_type)
	return (
		<Row className={cn('cursor-pointer', isFresh && 'animate-arrive')} onClick={() => void navigate(target)}>
			<Td className="whitespace-nowrap text-ink-2 tabular-nums" title={formatDateTime(span.started_at)}>
				{formatMoment(span.started_at)}
			</Td>
			<Td>
				<StatusBadge status={outcomeOf(span)} />
			</Td>
			<Td className="max-w-96 min-w-44">
				<span className="flex items-center gap-2">
					<span title={kindName[span.kind]} className={kindText[span.kind]}>
						<Icon name={kindIcon[span.kind]} />
						<span className="sr-only">{kindName[span.kind]}</span>
					</span>
					<Link
						{...target}
						onClick={(event) => event.stopPropagation()}
						className="truncate font-medium hover:underline"
					>
						{subjectOf(span)}
					</Link>
				</span>
				{trouble && <span className="block truncate pl-6 text-xs text-ink-3">{trouble}</span>}
			</Td>
			<Td className="max-w-44 text-ink-2">
				<span className="block truncate">{span.agent?.name ?? span.service_name ?? '–'}</span>
				{span.user_id && <span className="block truncate text-xs text-ink-3">{span.user_id}</span>}
			</Td>
			<Td right>{formatMs(span.duration_ms)}</Td>
			<Td right className="text-ink-2">
				{tokens > 0
					? formatCompact(tokens)
					: span.kind === 'model_call' && span.usage_source === 'missing'
						? '?'
						: '–'}
			</Td>
			<Td right className="text-ink-2">
				{span.kind !== 'model_call'
					? '–'
					: span.cost_nano_usd === null
						? 'unpriced'
						: formatNanoUsd(span.cost_nano_usd)}
			</Td>
		</Row>
	)
}
