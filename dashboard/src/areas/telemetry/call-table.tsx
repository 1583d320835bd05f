import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatCompact, formatDateTime, formatMoment, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import type { TableView } from '../../lib/table-view.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icons.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { callAddress } from '../reader/compare-search.ts'
import { kindIcon, kindName, kindText, outcomeOf, subjectOf, tokensOf } from './describe-span.ts'
import type { Span } from './queries.ts'

interface CallTableProps {
	spans: readonly Span[]
	/** Spans that arrived while watching; they are highlighted briefly. */
	fresh?: readonly Span[]
	view?: TableView
	onView?: (view: TableView) => void
}

/** One row per call. */
export function CallTable({ spans, fresh = [], view, onView }: CallTableProps) {
	const arrived = useMemo(() => new Set(fresh.map(({ span_id }) => span_id)), [fresh])
	return (
		<DataTable
			label="Calls, newest first"
			columns={callColumns}
			rows={spans}
			keyOf={callAddress}
			linkOf={linkOf}
			rowClass={({ span_id }) => arrived.has(span_id) && 'animate-arrive'}
			{...(view && { view })}
			{...(onView && { onView, compareOf })}
		/>
	)
}

const linkOf = (span: Span) => ({
	to: '/traces/$traceId' as const,
	params: { traceId: span.trace_id },
	search: { span: span.span_id },
})
const compareOf = (one: Span, other: Span) => ({
	to: '/compare' as const,
	search: { calls: [callAddress(one), callAddress(other)] as [string, string] },
})

const text = (key: string, label: string, of: (span: Span) => string | null | undefined): Column<Span> => ({
	...{ key, label, sort: key, extra: true, className: 'text-ink-2' },
	...{ show: (span) => of(span) || '–', value: (span) => of(span) ?? '' },
})
const number = (
	key: string,
	label: string,
	of: (span: Span) => number | null,
	format: (value: number) => string,
): Column<Span> => ({
	...{ key, label, sort: key, isNumber: true, value: of },
	show: (span) => {
		const value = of(span)
		return value === null ? '–' : format(value)
	},
})

export const callColumns: readonly Column<Span>[] = [
	{
		...{
			key: 'time',
			label: 'Time',
			className: 'text-ink-2 tabular-nums',
			value: ({ started_at }) => started_at,
		},
		show: ({ started_at }) => <span title={formatDateTime(started_at)}>{formatMoment(started_at)}</span>,
	},
	{
		...{ key: 'status', label: 'Status', sort: 'status', value: outcomeOf },
		show: (span) => <StatusBadge status={outcomeOf(span)} />,
	},
	{
		...{ key: 'what', label: 'Call', sort: 'what', value: subjectOf, className: 'max-w-80 min-w-44' },
		show: (span) => <Subject span={span} />,
	},
	{
		...{ key: 'agent', label: 'Agent', sort: 'agent', className: 'max-w-44 text-ink-2' },
		value: (span) => span.agent?.name ?? span.service_name ?? '',
		show: (span) => (
			<>
				<span className="block truncate">{showDirections(span.agent?.name ?? span.service_name ?? '–')}</span>
				{span.user_id && <span className="second block truncate text-xs text-ink-3">{span.user_id}</span>}
			</>
		),
	},
	number('duration_ms', 'Duration', ({ duration_ms }) => duration_ms, formatMs),
	{
		...number(
			'first_token_ms',
			'First token',
			({ time_to_first_token_ms }) => time_to_first_token_ms,
			formatMs,
		),
		extra: true,
	},
	{
		...number(
			'tokens',
			'Tokens',
			(span) => (tokensOf(span) > 0 ? tokensOf(span) : null),
			(value) => formatCompact(value),
		),
		show: (span) =>
			tokensOf(span) > 0 ? formatCompact(tokensOf(span)) : span.usage_source === 'missing' ? '?' : '–',
	},
	{
		...number(
			'cost_usd',
			'Cost',
			({ cost_nano_usd }) => (cost_nano_usd === null ? null : Number(cost_nano_usd) / 1e9),
			String,
		),
		show: ({ kind, cost_nano_usd }) =>
			kind !== 'model_call' ? '–' : cost_nano_usd === null ? 'unpriced' : formatNanoUsd(cost_nano_usd),
	},
	text('kind', 'Kind', ({ kind }) => kindName[kind]),
	text('server', 'Server', ({ server, server_name }) => server?.name ?? server_name),
	text('tool', 'Tool', ({ tool }) => tool),
	text('model', 'Model', ({ model, model_requested }) => model ?? model_requested),
	text('provider', 'Provider', ({ provider }) => provider),
	text('user', 'User', ({ user_id }) => user_id),
	text('session', 'Session', ({ session_id }) => session_id),
	text('client', 'Client', ({ client }) => client),
	text('service', 'Service', ({ service_name }) => service_name),
	text('error_type', 'Error type', ({ error_type }) => error_type?.replaceAll('_', ' ')),
	text('error', 'Error message', ({ status_message }) => status_message),
	text('trace_id', 'Trace ID', ({ trace_id }) => trace_id),
]

function Subject({ span }: { span: Span }) {
	const trouble = span.status !== 'ok' && (span.status_message || span.error_type)
	return (
		<>
			<span className="flex items-center gap-2">
				<span title={kindName[span.kind]} className={kindText[span.kind]}>
					<Icon name={kindIcon[span.kind]} />
					<span className="sr-only">{kindName[span.kind]}</span>
				</span>
				<Link {...linkOf(span)} className="truncate font-medium hover:underline">
					{subjectOf(span)}
				</Link>
			</span>
			{trouble && (
				<span title={trouble} className="second block truncate pl-6 text-xs text-ink-3">
					{trouble}
				</span>
			)}
		</>
	)
}
