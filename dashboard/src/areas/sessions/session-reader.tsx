import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { formatClock, formatCompact, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { linkClass } from '../../ui/link.ts'
import { Panel } from '../../ui/page.tsx'
import { SplitPane } from '../../ui/split-pane.tsx'
import { Badge, StatusBadge } from '../../ui/status.tsx'
import { Conversation } from '../reader/conversation.tsx'
import { kindIcon, kindText } from '../telemetry/describe-span.ts'
import type { SessionCall } from './queries.ts'

/** A call of the timeline; fields that a shared session does not contain are absent. */
type Optional = 'trace_id' | 'span_id' | 'approval' | 'attempts' | 'time_to_first_token_ms'
export type TimelineCall = Omit<SessionCall, Optional> & Partial<SessionCall>

interface SessionReaderProps {
	calls: readonly TimelineCall[]
	/** Why there are no messages. */
	notice: ReactNode
	/** Loads later calls, if there are more. */
	more: ReactNode
	/** Shown below the timeline. */
	below?: ReactNode
}

/** Equal consecutive calls as one line. */
interface Run {
	/** Index of its first call in the whole list. */
	at: number
	calls: readonly TimelineCall[]
}

/** Fewer equal calls are shown one by one. */
const runFrom = 4

export function toRuns(calls: readonly TimelineCall[]): Run[] {
	const runs: Run[] = []
	for (let at = 0; at < calls.length; ) {
		const [kind, name] = [calls[at]?.kind, nameOfCall(calls[at])]
		let end = at + 1
		while (end < calls.length && calls[end]?.kind === kind && nameOfCall(calls[end]) === name) end += 1
		if (end - at >= runFrom) runs.push({ at, calls: calls.slice(at, end) })
		else for (let one = at; one < end; one++) runs.push({ at: one, calls: calls.slice(one, one + 1) })
		at = end
	}
	return runs
}

/**
 * The calls of a session on the left, their messages on the right. `j` and `k` move from line to line, `→` unfolds equal calls, `←`
 * folds them.
 */
export function SessionReader({ calls, notice, more, below }: SessionReaderProps) {
	const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
	const lines = useMemo(() => {
		return toRuns(calls).flatMap((run): Line[] => {
			if (run.calls.length === 1) return [{ ...run, isOpen: null }]
			const isOpen = unfolded.has(run.at)
			const inner = run.calls.map((call, index) => ({
				at: run.at + index,
				calls: [call],
				isOpen: null,
				isInner: true,
			}))
			return [{ ...run, isOpen }, ...(isOpen ? inner : [])]
		})
	}, [calls, unfolded])
	const [chosen, setChosen] = useState(0)
	const selected = Math.min(chosen, lines.length - 1)
	const pane = useRef<HTMLOListElement>(null)
	const list = useRef<HTMLOListElement>(null)
	const select = (at: number) => {
		if (at < 0 || at >= lines.length) return
		setChosen(at)
		list.current?.querySelectorAll<HTMLElement>('button')[at]?.focus()
		pane.current?.children[at]?.scrollIntoView({ block: 'nearest' })
	}
	const fold = (at: number) => {
		const line = lines[at]
		if (!line || line.isOpen === null) return
		setChosen(at)
		setUnfolded(
			new Set(line.isOpen ? [...unfolded].filter((other) => other !== line.at) : [...unfolded, line.at]),
		)
	}
	const open = () => pane.current?.children[selected]?.querySelector('a')?.focus()
	const press = (at: number) => {
		if (lines[at]?.isOpen !== null) fold(at)
		else if (at === selected) open()
		else select(at)
	}
	const foldTo = (isOpen: boolean) => lines[selected]?.isOpen === !isOpen && fold(selected)
	const unfold = () => void foldTo(true)
	const foldAgain = () => void foldTo(false)
	const back = () => select(selected)
	useKeys({
		j: () => select(selected + 1),
		k: () => select(selected - 1),
		ArrowRight: unfold,
		ArrowLeft: foldAgain,
		Escape: back,
	})
	return (
		<SplitPane
			name="session"
			share={34}
			left={
				<Panel title="Timeline" actions={<span className="text-xs text-ink-3">j k to move</span>} flush>
					<ol
						ref={list}
						aria-label="Timeline"
						className="grid grid-cols-[minmax(0,1fr)] lg:max-h-[70vh] lg:overflow-y-auto"
					>
						{lines.map((line, at) => (
							<li key={keyOf(line)}>
								<TimelineLine line={line} isSelected={at === selected} onSelect={() => press(at)} />
							</li>
						))}
					</ol>
					{more}
				</Panel>
			}
			below={below}
			right={
				<Panel title="Conversation">
					{notice}
					<ol ref={pane} aria-label="Calls" className="grid grid-cols-[minmax(0,1fr)] gap-5">
						{lines.map((line, at) => (
							<li
								key={keyOf(line)}
								className={cn(
									// Calls outside the window are not rendered until they are scrolled to.
									'scroll-mt-4 rounded-lg [contain-intrinsic-size:auto_240px] [content-visibility:auto]',
									at === selected && 'ring-2 ring-accent-soft ring-offset-4 ring-offset-surface',
									line.calls[0]?.kind === 'tool_call' && 'ml-3 border-l-2 border-line pl-3',
								)}
							>
								{line.isOpen === null ? (
									line.calls[0] && <CallArticle call={line.calls[0]} />
								) : (
									<RunArticle line={line} onFold={() => fold(at)} />
								)}
							</li>
						))}
					</ol>
				</Panel>
			}
		/>
	)
}

interface Line extends Run {
	/** Null for a single call. */
	isOpen: boolean | null
	/** For a call of a run that is unfolded. */
	isInner?: boolean
}

const keyOf = ({ at, calls: [call], isOpen }: Line) =>
	`${isOpen === null ? 'call' : 'run'} ${call?.span_id} ${at}`

export function nameOfCall(
	call: Pick<TimelineCall, 'kind' | 'model' | 'server' | 'tool'> | undefined,
): string {
	if (!call) return ''
	if (call.kind === 'model_call') return showDirections(call.model ?? 'unknown model')
	return showDirections([call.server.name, call.tool ?? 'unknown tool'].filter(Boolean).join(' / '))
}

export const hasCallFailed = ({ status }: Pick<TimelineCall, 'status'>) =>
	status !== 'ok' && status !== 'unset'
const tokensOf = (calls: readonly TimelineCall[]) => {
	const counted = calls.flatMap(({ tokens }) => (tokens ? [Object.values(tokens)] : []))
	return counted.length === 0 ? null : counted.flat().reduce((sum, count) => sum + count, 0)
}
const costOf = (calls: readonly TimelineCall[]) => {
	const priced = calls.flatMap(({ cost_nano_usd }) => (cost_nano_usd === null ? [] : [BigInt(cost_nano_usd)]))
	return priced.length === 0 ? null : String(priced.reduce((sum, cost) => sum + cost, 0n))
}
/** From the start of the first until all have ended; null if one has no outcome. */
const durationOf = (calls: readonly TimelineCall[]) => {
	const [first] = calls
	if (!first || calls.some(({ duration_ms }) => duration_ms === null)) return null
	const ends = calls.map(({ started_at, duration_ms }) => Date.parse(started_at) + (duration_ms ?? 0))
	return Math.max(...ends) - Date.parse(first.started_at)
}

interface LineProps {
	line: Line
	isSelected: boolean
	onSelect(): void
}

function TimelineLine({ line, isSelected, onSelect }: LineProps) {
	const { calls, isOpen, isInner } = line
	const [call] = calls
	if (!call) return null
	const failed = calls.filter(hasCallFailed).length
	const isBad = failed === calls.length
	const tokens = tokensOf(calls)
	const cost = costOf(calls)
	return (
		<button
			type="button"
			aria-current={isSelected || undefined}
			aria-expanded={isOpen ?? undefined}
			onClick={onSelect}
			className={cn(
				'flex min-h-8 w-full items-center gap-2 py-1 pr-3 text-left -outline-offset-2',
				isInner ? 'pl-12' : call.kind === 'tool_call' ? 'pl-8' : 'pl-3',
				isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
			)}
		>
			{isOpen !== null && (
				<Icon name="chevron" className={cn('-ml-5 size-3 text-ink-3', isOpen && 'rotate-90')} />
			)}
			<Icon
				name={isBad ? 'alert' : kindIcon[call.kind]}
				className={cn('size-3.5', isBad ? 'text-bad' : kindText[call.kind])}
			/>
			<span className="flex min-w-0 flex-1 items-center gap-1.5">
				<span className={cn('truncate', isBad && 'text-bad')}>
					{calls.length > 1 && <span className="font-medium tabular-nums">{calls.length} × </span>}
					{nameOfCall(call)}
				</span>
				{calls.length > 1 && failed > 0 && <span className="shrink-0 text-xs text-bad">{failed} failed</span>}
				{calls.length === 1 && tagsOf(call).map((tag) => <Tag key={tag.text} {...tag} />)}
			</span>
			{calls.length === 1 && isBad && <span className="sr-only">{call.status}</span>}
			<span className="flex shrink-0 gap-3 text-xs text-ink-3 tabular-nums">
				{tokens !== null && <span className="hidden 2xl:inline">{formatCompact(tokens)} tokens</span>}
				{cost !== null && <span>{formatNanoUsd(cost)}</span>}
				<span className="min-w-12 text-right">
					{formatMs(calls.length === 1 ? call.duration_ms : durationOf(calls))}
				</span>
			</span>
		</button>
	)
}

/** Short labels for what happened to a call in the gateway or proxy. */
function tagsOf({ approval, attempts = [], status }: TimelineCall): { text: string; isBad: boolean }[] {
	const isElsewhere = attempts.some(({ connection }) => connection !== attempts[0]?.connection)
	return [
		...(approval
			? [{ text: approval.decision.replaceAll('_', ' '), isBad: approval.decision !== 'approved' }]
			: []),
		...(attempts.length > 1
			? [{ text: isElsewhere ? 'fallback' : `${attempts.length} attempts`, isBad: false }]
			: []),
		...(status === 'denied' && !approval ? [{ text: 'denied', isBad: true }] : []),
	]
}

function Tag({ text, isBad }: { text: string; isBad: boolean }) {
	return (
		<span
			className={cn(
				'shrink-0 rounded-sm px-1 text-xs',
				isBad ? 'bg-bad-soft text-bad' : 'bg-sunken text-ink-2',
			)}
		>
			{text}
		</span>
	)
}

/** Equal calls together: how many, how many failed, and a link to each. */
function RunArticle({ line: { calls, isOpen }, onFold }: { line: Line; onFold(): void }) {
	const [call] = calls
	const failed = calls.filter(hasCallFailed)
	const messages = [...new Set(failed.map(({ status_message }) => status_message).filter(Boolean))]
	if (!call) return null
	return (
		<>
			<div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
				<Icon name={kindIcon[call.kind]} className={cn('size-4', kindText[call.kind])} />
				<span className="min-w-0 truncate font-medium">
					{calls.length} × {nameOfCall(call)}
				</span>
				{failed.length > 0 && <span className="text-xs text-bad">{failed.length} failed</span>}
				<span className="ml-auto flex flex-wrap items-center gap-x-3 text-xs text-ink-3 tabular-nums">
					<span>{formatMs(durationOf(calls))}</span>
					<Button small onClick={onFold} aria-expanded={isOpen === true}>
						{isOpen ? 'Collapse' : `Show all ${calls.length}`}
					</Button>
				</span>
			</div>
			{messages.slice(0, 3).map((message) => (
				<p key={message} className="mb-2 rounded-md bg-bad-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
					{message}
				</p>
			))}
		</>
	)
}

const longGapMs = 1000

/** A call in full: what it was, its outcome, and its messages. */
function CallArticle({ call }: { call: TimelineCall }) {
	const tokens = tokensOf([call])
	return (
		<>
			{call.gap_ms !== null && call.gap_ms >= longGapMs && (
				<p className="mb-2 text-xs text-ink-3 tabular-nums">{formatMs(call.gap_ms)} idle</p>
			)}
			<div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
				<Icon name={kindIcon[call.kind]} className={cn('size-4', kindText[call.kind])} />
				<Subject call={call} />
				{hasCallFailed(call) && <StatusBadge status={call.status} />}
				<span className="ml-auto flex flex-wrap gap-x-3 text-xs text-ink-3 tabular-nums">
					<span>{formatClock(call.started_at)}</span>
					<span>{formatMs(call.duration_ms)}</span>
					{typeof call.time_to_first_token_ms === 'number' && (
						<span>first token {formatMs(call.time_to_first_token_ms)}</span>
					)}
					{tokens !== null && <span>{formatCompact(tokens)} tokens</span>}
					{call.cost_so_far_nano_usd !== '0' && (
						<span>{formatNanoUsd(call.cost_so_far_nano_usd)} so far</span>
					)}
				</span>
			</div>
			<Way call={call} />
			{hasCallFailed(call) && (call.status_message || call.error_type) && (
				<p className="mb-2 rounded-md bg-bad-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
					<span className="font-medium text-bad">{call.error_type?.replaceAll('_', ' ')}</span>{' '}
					{call.status_message}
				</p>
			)}
			{call.messages && call.messages.length > 0 && <Conversation messages={call.messages} />}
		</>
	)
}

/** Who approved it, and the attempts before the one that answered. */
function Way({ call: { approval, attempts = [] } }: { call: TimelineCall }) {
	if (!approval && attempts.length < 2) return null
	return (
		<ul aria-label="On the way" className="mb-2 grid gap-1">
			{approval && (
				<li className="flex flex-wrap items-center gap-x-2">
					<Badge tone={approval.decision === 'approved' ? 'ok' : 'bad'}>
						{approval.decision.replaceAll('_', ' ')}
					</Badge>
					{approval.id ? (
						<Link to="/approvals/$approvalId" params={{ approvalId: approval.id }} className={linkClass}>
							Approval
						</Link>
					) : (
						'Approval'
					)}
					<span className="text-xs text-ink-3">waited {formatMs(approval.waited_ms)}</span>
				</li>
			)}
			{attempts.length > 1 &&
				attempts.map(({ connection, model, error_type, duration_ms }, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: the order is what happened
					<li key={at} className="flex flex-wrap items-center gap-x-2">
						<Badge tone={error_type ? 'bad' : 'ok'}>
							{error_type ? error_type.replaceAll('_', ' ') : 'answered'}
						</Badge>
						<span>
							{at === 0
								? 'Attempt 1'
								: attempts[at - 1]?.connection === connection
									? `Retry ${at}`
									: `Fallback ${at}`}
							: {connection}
							{model && ` · ${model}`}
						</span>
						<span className="text-xs text-ink-3">{formatMs(duration_ms)}</span>
					</li>
				))}
		</ul>
	)
}

function Subject({ call }: { call: TimelineCall }) {
	const className = 'min-h-6 min-w-0 truncate font-medium'
	if (!call.trace_id) return <span className={className}>{nameOfCall(call)}</span>
	return (
		<Link
			to="/traces/$traceId"
			params={{ traceId: call.trace_id }}
			search={{ span: call.span_id ?? '' }}
			className={cn(className, 'hover:underline')}
		>
			{nameOfCall(call)}
		</Link>
	)
}
