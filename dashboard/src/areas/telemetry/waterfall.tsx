import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatCompact, formatCount, formatCounted, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { handlingTags } from './call-handling-part.tsx'
import { kindColour, kindIcon, kindText, subjectOf, tokensOf } from './describe-span.ts'
import type { Span } from './queries.ts'
import type { ShownRow, SpanTree } from './span-tree.ts'

const rowPx = 32
const shownPx = 640

interface WaterfallProps {
	id: string
	tree: SpanTree
	rows: readonly ShownRow[]
	selectedId: string
	onSelect(id: string): void
	onFold(id: string, isOpen: boolean): void
	/** Called to show the details of the selected span. */
	onOpen(): void
}

/** The spans as bars on one time line. Only visible rows are rendered, because a trace may have 50,000. */
export function Waterfall({ id, tree, rows, selectedId, onSelect, onFold, onOpen }: WaterfallProps) {
	const place = useRef<HTMLDivElement>(null)
	const [scrolledPx, setScrolledPx] = useState(0)
	const [view, setView] = useState<View>('waterfall')
	const selectedAt = useMemo(() => rows.findIndex((row) => row.id === selectedId), [rows, selectedId])
	// Also if something other than the list selected the span: a link, or a key of the page.
	useLayoutEffect(() => keepInSight(place.current, Math.max(0, selectedAt)), [selectedAt])
	const first = Math.max(0, Math.floor(scrolledPx / rowPx) - 10)
	const inSight = rows.slice(first, first + Math.ceil(shownPx / rowPx) + 20)
	const fold = ({ id, isOpen }: ShownRow) => {
		if (isOpen === null) return
		onSelect(id)
		onFold(id, !isOpen)
	}
	const onKey = (event: KeyboardEvent) => {
		if (event.key === 'Enter') onOpen()
		const row = rows[selectedAt]
		const isFolding = row && event.key === (row.isOpen ? 'ArrowLeft' : 'ArrowRight') && row.isOpen !== null
		const index = isFolding ? selectedAt : indexAfter(event.key, selectedAt, rows)
		if (index === null) return
		event.preventDefault()
		const next = rows[index]
		if (isFolding) fold(row)
		else if (next) onSelect(next.id)
	}
	return (
		<Panel
			title="Spans"
			actions={<Segmented<View> label="View" value={view} options={views} onChange={setView} />}
			flush
		>
			{view === 'waterfall' && <TimeAxis durationMs={tree.durationMs} />}
			<div
				id={id}
				ref={place}
				role="tree"
				aria-label="Spans of the trace"
				aria-activedescendant={`span-${selectedId}`}
				tabIndex={0}
				onKeyDown={onKey}
				onScroll={(event) => setScrolledPx(event.currentTarget.scrollTop)}
				className="overflow-y-auto -outline-offset-2"
				style={{ maxHeight: shownPx }}
			>
				<div role="presentation" className="relative" style={{ height: rows.length * rowPx }}>
					{inSight.map((row, index) => (
						<SpanRow
							key={row.id}
							shown={row}
							view={view}
							top={(first + index) * rowPx}
							isSelected={row.id === selectedId}
							onSelect={() => onSelect(row.id)}
							onFold={() => fold(row)}
						/>
					))}
				</div>
			</div>
		</Panel>
	)
}

const pageRows = Math.floor(shownPx / rowPx) - 1

/** The row to which a key moves; null for other keys. */
function indexAfter(key: string, chosen: number, rows: readonly ShownRow[]): number | null {
	const last = rows.length - 1
	const depth = rows[chosen]?.depth ?? 0
	const target = {
		ArrowDown: chosen + 1,
		ArrowUp: chosen - 1,
		ArrowLeft: rows.findLastIndex((row, at) => at < chosen && row.depth < depth),
		PageDown: Math.min(last, chosen + pageRows),
		PageUp: Math.max(0, chosen - pageRows),
		Home: 0,
		End: last,
	}[key]
	return target ?? null
}

const columns = 'grid grid-cols-[minmax(9rem,55%)_minmax(0,1fr)_4.5rem] items-center gap-3 px-4'
const treeColumns = 'grid grid-cols-[minmax(0,1fr)_auto_auto_4.5rem] items-center gap-3 px-4'

type View = 'tree' | 'waterfall'
const views = [
	{ value: 'tree', label: 'Tree' },
	{ value: 'waterfall', label: 'Waterfall' },
] as const

interface SpanRowProps {
	shown: ShownRow
	view: View
	top: number
	isSelected: boolean
	onSelect(): void
	onFold(): void
}

function SpanRow({ shown, view, top, isSelected, onSelect, onFold }: SpanRowProps) {
	const { depth, failed, isOpen, row, run } = shown
	const { span } = row
	const spans = run ? run.map((one) => one.span) : [span]
	const isBad = failed === spans.length
	const extent = extentOf(shown)
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
		// biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active item
		<div
			role="treeitem"
			id={`span-${shown.id}`}
			aria-level={depth + 1}
			aria-selected={isSelected}
			aria-expanded={isOpen ?? undefined}
			onClick={onSelect}
			onDoubleClick={onFold}
			className={cn(
				view === 'waterfall' ? columns : treeColumns,
				'absolute inset-x-0 cursor-pointer',
				isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
			)}
			style={{ top, height: rowPx }}
		>
			<span className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: Math.min(depth, 12) * 14 }}>
				{isOpen === null ? (
					<span className="-ml-1.5 size-4 shrink-0" />
				) : (
					<span
						aria-hidden="true"
						className="-ml-1.5 grid size-4 shrink-0 place-items-center rounded hover:bg-hover"
						onClick={(event) => {
							event.stopPropagation()
							onFold()
						}}
					>
						<Icon name="chevron" className={cn('size-3 text-ink-3', isOpen && 'rotate-90')} />
					</span>
				)}
				<Icon
					name={isBad ? 'alert' : kindIcon[span.kind]}
					className={cn('size-3.5', isBad ? 'text-bad' : kindText[span.kind])}
				/>
				<span className={cn('truncate', isBad && 'text-bad')}>
					{run && <span className="font-medium tabular-nums">{formatCount(run.length)} × </span>}
					{subjectOf(span)}
				</span>
				{run && failed > 0 && <span className="shrink-0 text-xs text-bad">{formatCount(failed)} failed</span>}
				{!run && failed > 0 && <span className="sr-only">{span.status}</span>}
				{!run && <Tags span={span} />}
				{!run && row.isOrphan && <span className="text-xs text-ink-3">(parent not recorded)</span>}
			</span>
			{view === 'waterfall' ? (
				<span aria-hidden="true" className="relative h-3">
					<span
						className={cn(
							'absolute h-full min-w-0.5 overflow-hidden rounded-xs forced-color-adjust-none',
							isBad ? 'bg-bad' : kindColour[span.kind],
							run && 'opacity-60',
						)}
						style={{ left: `${extent.offset * 100}%`, width: `${Math.max(extent.width * 100, 0.2)}%` }}
					>
						{!run && <FirstToken span={span} />}
					</span>
				</span>
			) : (
				<>
					<span className="text-right text-xs text-ink-3 tabular-nums">
						{span.kind === 'model_call' &&
							formatCounted(
								spans.reduce((sum, one) => sum + tokensOf(one), 0),
								'token',
								formatCompact,
							)}
					</span>
					<span className="text-right text-xs text-ink-3 tabular-nums">{costOf(spans)}</span>
				</>
			)}
			<span className="text-right text-xs text-ink-2 tabular-nums">{formatMs(extent.durationMs)}</span>
		</div>
	)
}

/** From the start of the first to the end of the last. */
function extentOf({ row, run }: ShownRow): { offset: number; width: number; durationMs: number } {
	const { offset, width, span } = row
	if (!run) return { offset, width, durationMs: span.duration_ms }
	const end = run.reduce((most, one) => Math.max(most, one.offset + one.width), 0)
	const startMs = Date.parse(span.started_at)
	const endMs = run.reduce(
		(most, one) => Math.max(most, Date.parse(one.span.started_at) + one.span.duration_ms),
		0,
	)
	return { offset, width: end - offset, durationMs: endMs - startMs }
}

function costOf(spans: readonly Span[]): string | null {
	const priced = spans.filter(({ cost_nano_usd }) => cost_nano_usd !== null)
	if (priced.length === 0) return null
	return formatNanoUsd(
		String(priced.reduce((sum, { cost_nano_usd }) => sum + BigInt(cost_nano_usd ?? 0), 0n)),
	)
}

/** Short labels for what happened to a call in the gateway or proxy. */
function Tags({ span }: { span: Span }) {
	return handlingTags(span).map(({ text, isBad }) => (
		<span
			key={text}
			className={cn(
				'shrink-0 rounded-sm px-1 text-xs',
				isBad ? 'bg-bad-soft text-bad' : 'bg-sunken text-ink-2',
			)}
		>
			{text}
		</span>
	))
}

/** The part until the first token is lighter. */
function FirstToken({ span }: { span: Span }) {
	if (span.time_to_first_token_ms === null || span.duration_ms === 0) return null
	const share = Math.min(1, span.time_to_first_token_ms / span.duration_ms)
	return <span className="absolute inset-y-0 left-0 bg-surface/60" style={{ width: `${share * 100}%` }} />
}

function TimeAxis({ durationMs }: { durationMs: number }) {
	return (
		<div
			aria-hidden="true"
			className={cn(columns, 'h-7 border-b border-line text-xs text-ink-3 tabular-nums')}
		>
			<span>Span</span>
			<span className="flex justify-between gap-2 overflow-hidden whitespace-nowrap">
				<span className="max-sm:hidden">0</span>
				<span className="hidden 2xl:inline">{formatMs(durationMs / 2)}</span>
				<span className="ml-auto">{formatMs(durationMs)}</span>
			</span>
			<span className="text-right">Time</span>
		</div>
	)
}

function keepInSight(place: HTMLDivElement | null, index: number): void {
	if (!place || place.clientHeight === 0) return
	const top = index * rowPx
	if (top < place.scrollTop) place.scrollTop = top
	if (top + rowPx > place.scrollTop + place.clientHeight) place.scrollTop = top + rowPx - place.clientHeight
}
