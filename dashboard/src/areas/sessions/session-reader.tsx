import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { formatClock, formatCompact, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/page.tsx'
import { SplitPane } from '../../ui/split-pane.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Conversation } from '../reader/conversation.tsx'
import { kindIcon, kindText } from '../telemetry/describe-span.ts'
import type { SessionCall } from './queries.ts'

/** A call of the timeline; what a shared session does not tell is absent. */
export type TimelineCall = Omit<SessionCall, 'trace_id' | 'span_id'> & Partial<SessionCall>

interface SessionReaderProps {
	calls: readonly TimelineCall[]
	/** Why there are no messages, where there are none. */
	notice: ReactNode
	/** What shows later calls, where there are more. */
	more: ReactNode
	/** Beneath the timeline. */
	below?: ReactNode
}

/** The calls of a session on the left, what was said in them on the right; `j` and `k` go from call to call. */
export function SessionReader({ calls, notice, more, below }: SessionReaderProps) {
	const [selected, setSelected] = useState(0)
	const pane = useRef<HTMLOListElement>(null)
	const list = useRef<HTMLOListElement>(null)
	const select = (at: number) => {
		if (at < 0 || at >= calls.length) return
		setSelected(at)
		list.current?.querySelectorAll<HTMLElement>('button')[at]?.focus()
		pane.current?.children[at]?.scrollIntoView({ block: 'nearest' })
	}
	const open = () => pane.current?.children[selected]?.querySelector('a')?.focus()
	const back = () => select(selected)
	useKeys({ j: () => select(selected + 1), k: () => select(selected - 1), Escape: back })
	return (
		<SplitPane
			name="session"
			share={34}
			left={
				<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
					<Panel title="Timeline" actions={<span className="text-xs text-ink-3">j k to move</span>} flush>
						<ol
							ref={list}
							aria-label="Timeline"
							className="grid grid-cols-[minmax(0,1fr)] lg:max-h-[70vh] lg:overflow-y-auto"
						>
							{calls.map((call, at) => (
								<li key={keyOf(call, at)}>
									<TimelineLine
										call={call}
										isSelected={at === selected}
										onSelect={() => (at === selected ? open() : select(at))}
									/>
								</li>
							))}
						</ol>
						{more}
					</Panel>
					{below}
				</div>
			}
			right={
				<Panel title="Conversation">
					{notice}
					<ol ref={pane} aria-label="Calls" className="grid grid-cols-[minmax(0,1fr)] gap-5">
						{calls.map((call, at) => (
							<li
								key={keyOf(call, at)}
								className={cn(
									'scroll-mt-4 rounded-lg',
									at === selected && 'ring-2 ring-accent-soft ring-offset-4 ring-offset-surface',
									call.kind === 'tool_call' && 'ml-3 border-l-2 border-line pl-3',
								)}
							>
								<CallArticle call={call} />
							</li>
						))}
					</ol>
				</Panel>
			}
		/>
	)
}

const keyOf = (call: TimelineCall, at: number) => `${call.trace_id} ${call.span_id} ${call.started_at} ${at}`

function nameOf(call: TimelineCall): string {
	if (call.kind === 'model_call') return call.model ?? 'unknown model'
	return [call.server.name, call.tool ?? 'unknown tool'].filter(Boolean).join(' / ')
}

const hasFailed = ({ status }: TimelineCall) => status !== 'ok' && status !== 'unset'
const allTokens = ({ tokens }: TimelineCall) =>
	tokens && Object.values(tokens).reduce((sum, count) => sum + count, 0)

interface LineProps {
	call: TimelineCall
	isSelected: boolean
	onSelect(): void
}

function TimelineLine({ call, isSelected, onSelect }: LineProps) {
	const tokens = allTokens(call)
	return (
		<button
			type="button"
			aria-current={isSelected || undefined}
			onClick={onSelect}
			className={cn(
				'flex min-h-8 w-full items-center gap-2 py-1 pr-3 text-left -outline-offset-2',
				call.kind === 'tool_call' ? 'pl-8' : 'pl-3',
				isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
			)}
		>
			<Icon
				name={hasFailed(call) ? 'alert' : kindIcon[call.kind]}
				className={cn('size-3.5', hasFailed(call) ? 'text-bad' : kindText[call.kind])}
			/>
			<span className={cn('min-w-0 flex-1 truncate', hasFailed(call) && 'text-bad')}>{nameOf(call)}</span>
			{hasFailed(call) && <span className="sr-only">{call.status}</span>}
			<span className="flex shrink-0 gap-3 text-xs text-ink-3 tabular-nums">
				{tokens !== null && <span className="hidden 2xl:inline">{formatCompact(tokens)} tokens</span>}
				{call.cost_nano_usd !== null && <span>{formatNanoUsd(call.cost_nano_usd)}</span>}
				<span className="min-w-12 text-right">{formatMs(call.duration_ms)}</span>
			</span>
		</button>
	)
}

const longGapMs = 1000

/** One call whole: what it was, how it ended, and what was said in it. */
function CallArticle({ call }: { call: TimelineCall }) {
	const tokens = allTokens(call)
	return (
		<>
			{call.gap_ms !== null && call.gap_ms >= longGapMs && (
				<p className="mb-2 text-xs text-ink-3 tabular-nums">{formatMs(call.gap_ms)} idle</p>
			)}
			<div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
				<Icon name={kindIcon[call.kind]} className={cn('size-4', kindText[call.kind])} />
				<Subject call={call} />
				{hasFailed(call) && <StatusBadge status={call.status} />}
				<span className="ml-auto flex flex-wrap gap-x-3 text-xs text-ink-3 tabular-nums">
					<span>{formatClock(call.started_at)}</span>
					<span>{formatMs(call.duration_ms)}</span>
					{tokens !== null && <span>{formatCompact(tokens)} tokens</span>}
					<span>{formatNanoUsd(call.cost_so_far_nano_usd)} so far</span>
				</span>
			</div>
			{hasFailed(call) && (call.status_message || call.error_type) && (
				<p className="mb-2 rounded-md bg-bad-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
					<span className="font-medium text-bad">{call.error_type?.replaceAll('_', ' ')}</span>{' '}
					{call.status_message}
				</p>
			)}
			{call.messages && call.messages.length > 0 && <Conversation messages={call.messages} />}
		</>
	)
}

function Subject({ call }: { call: TimelineCall }) {
	const className = 'min-h-6 min-w-0 truncate font-medium'
	if (!call.trace_id) return <span className={className}>{nameOf(call)}</span>
	return (
		<Link
			to="/traces/$traceId"
			params={{ traceId: call.trace_id }}
			search={{ span: call.span_id ?? '' }}
			className={cn(className, 'hover:underline')}
		>
			{nameOf(call)}
		</Link>
	)
}
