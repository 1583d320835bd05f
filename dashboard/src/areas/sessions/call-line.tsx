import { Link } from '@tanstack/react-router'
import { formatClock, formatCompact, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { Badge } from '../../ui/status.tsx'
import { kindIcon, kindText } from '../telemetry/describe-span.ts'
import type { TimelineCall } from './turns.ts'

const longGapMs = 1000

/** One call: what it was, when, how long, what it cost, and how it ended. */
export function CallLine({ call }: { call: TimelineCall }) {
	const tokens = call.tokens && Object.values(call.tokens).reduce((sum, count) => sum + count, 0)
	return (
		<>
			{call.gap_ms !== null && call.gap_ms >= longGapMs && (
				<p className="py-1 pl-6 text-xs text-ink-3 tabular-nums">nothing for {formatMs(call.gap_ms)}</p>
			)}
			<div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-0.5">
				<Icon name={kindIcon[call.kind]} className={cn('size-4', kindText[call.kind])} />
				<Subject call={call} />
				{call.status !== 'ok' && call.status !== 'unset' && (
					<Badge tone={call.status === 'denied' ? 'warn' : 'bad'}>
						{call.error_type ? `${call.status}: ${call.error_type}` : call.status}
					</Badge>
				)}
				<span className="ml-auto flex flex-wrap gap-x-4 text-xs text-ink-2 tabular-nums">
					<span>{formatClock(call.started_at)}</span>
					<span className="min-w-14 text-right">{formatMs(call.duration_ms)}</span>
					<span className="min-w-22 text-right">{tokens !== null && `${formatCompact(tokens)} tokens`}</span>
					<span className="min-w-24 text-right" title="Cost of the session so far">
						{formatNanoUsd(call.cost_so_far_nano_usd)} <span className="text-ink-3">so far</span>
					</span>
				</span>
			</div>
			{call.status_message && <p className="pl-7 text-xs break-words text-bad">{call.status_message}</p>}
		</>
	)
}

function Subject({ call }: { call: TimelineCall }) {
	const name =
		call.kind === 'model_call'
			? (call.model ?? 'unknown model')
			: [call.server.name, call.tool ?? 'unknown tool'].filter(Boolean).join(' / ')
	const className = 'min-h-6 min-w-0 truncate font-medium'
	if (!call.trace_id) return <span className={className}>{name}</span>
	return (
		<Link
			to="/traces/$traceId"
			params={{ traceId: call.trace_id }}
			search={{ span: call.span_id ?? '' }}
			data-call
			className={cn(className, 'hover:underline')}
		>
			{name}
		</Link>
	)
}
