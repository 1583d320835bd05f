import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatCompact, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { kindColour, kindIcon, kindText, subjectOf, tokensOf } from './describe-span.ts'
import type { SpanTree, TreeRow } from './span-tree.ts'

const rowPx = 32
const shownPx = 640

interface WaterfallProps {
	id: string
	tree: SpanTree
	selectedId: string
	onSelect(spanId: string): void
	/** What is known of the chosen one is wanted. */
	onOpen(): void
}

/** The spans as bars on one time line. Only the rows in sight are drawn: a trace may have 50,000. */
export function Waterfall({ id, tree, selectedId, onSelect, onOpen }: WaterfallProps) {
	const place = useRef<HTMLDivElement>(null)
	const [scrolledPx, setScrolledPx] = useState(0)
	const [view, setView] = useState<View>('waterfall')
	const selectedAt = useMemo(
		() => tree.rows.findIndex(({ span }) => span.span_id === selectedId),
		[tree, selectedId],
	)
	// Also where something else than the list chose the span: a link, or a key of the page.
	useLayoutEffect(() => keepInSight(place.current, Math.max(0, selectedAt)), [selectedAt])
	const first = Math.max(0, Math.floor(scrolledPx / rowPx) - 10)
	const inSight = tree.rows.slice(first, first + Math.ceil(shownPx / rowPx) + 20)
	const onKey = (event: KeyboardEvent) => {
		if (event.key === 'Enter') onOpen()
		const index = indexAfter(event.key, selectedAt, tree.rows.length)
		if (index === null) return
		event.preventDefault()
		const next = tree.rows[index]
		if (!next) return
		onSelect(next.span.span_id)
	}
	return (
		<Panel
			title="Spans"
			actions={
				<Segmented<View> label="View" name="trace-view" value={view} options={views} onChange={setView} />
			}
			flush
		>
			{view === 'waterfall' && <TimeAxis durationMs={tree.durationMs} />}
			<div
				id={id}
				ref={place}
				role="listbox"
				aria-label="Spans of the trace"
				aria-activedescendant={`span-${selectedId}`}
				tabIndex={0}
				onKeyDown={onKey}
				onScroll={(event) => setScrolledPx(event.currentTarget.scrollTop)}
				className="overflow-y-auto -outline-offset-2"
				style={{ maxHeight: shownPx }}
			>
				<div role="presentation" className="relative" style={{ height: tree.rows.length * rowPx }}>
					{inSight.map((row, index) => (
						<SpanRow
							key={row.span.span_id}
							row={row}
							view={view}
							top={(first + index) * rowPx}
							isSelected={row.span.span_id === selectedId}
							onSelect={() => onSelect(row.span.span_id)}
						/>
					))}
				</div>
			</div>
		</Panel>
	)
}

const pageRows = Math.floor(shownPx / rowPx) - 1

/** Where a key leads from a row; null for keys that lead nowhere. */
function indexAfter(key: string, chosen: number, rows: number): number | null {
	const last = rows - 1
	const target = {
		ArrowDown: chosen + 1,
		ArrowUp: chosen - 1,
		PageDown: Math.min(last, chosen + pageRows),
		PageUp: Math.max(0, chosen - pageRows),
		Home: 0,
		End: last,
	}[key]
	return target ?? null
}

const columns = 'grid grid-cols-[minmax(9rem,45%)_minmax(0,1fr)_4.5rem] items-center gap-3 px-4'
const treeColumns = 'grid grid-cols-[minmax(0,1fr)_auto_auto_4.5rem] items-center gap-3 px-4'

type View = 'tree' | 'waterfall'
const views = [
	{ value: 'tree', label: 'Tree' },
	{ value: 'waterfall', label: 'Waterfall' },
] as const

function SpanRow({
	row,
	view,
	top,
	isSelected,
	onSelect,
}: {
	row: TreeRow
	view: View
	top: number
	isSelected: boolean
	onSelect(): void
}) {
	const { span } = row
	const failed = span.status === 'error' || span.status === 'denied' || span.status === 'cut'
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
		// biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active option
		<div
			role="option"
			id={`span-${span.span_id}`}
			aria-selected={isSelected}
			onClick={onSelect}
			className={cn(
				view === 'waterfall' ? columns : treeColumns,
				'absolute inset-x-0 cursor-pointer',
				isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
			)}
			style={{ top, height: rowPx }}
		>
			<span
				className="flex min-w-0 items-center gap-1.5"
				style={{ paddingLeft: Math.min(row.depth, 12) * 14 }}
			>
				<Icon
					name={failed ? 'alert' : kindIcon[span.kind]}
					className={cn('size-3.5', failed ? 'text-bad' : kindText[span.kind])}
				/>
				<span className={cn('truncate', failed && 'text-bad')}>{subjectOf(span)}</span>
				{failed && <span className="sr-only">{span.status}</span>}
				{row.isOrphan && <span className="text-xs text-ink-3">(parent not recorded)</span>}
			</span>
			{view === 'waterfall' ? (
				<span aria-hidden="true" className="relative h-3">
					<span
						className={cn('absolute h-full min-w-0.5 rounded-xs', failed ? 'bg-bad' : kindColour[span.kind])}
						style={{ left: `${row.offset * 100}%`, width: `${Math.max(row.width * 100, 0.2)}%` }}
					/>
				</span>
			) : (
				<>
					<span className="text-right text-xs text-ink-3 tabular-nums">
						{span.kind === 'model_call' && `${formatCompact(tokensOf(span))} tokens`}
					</span>
					<span className="text-right text-xs text-ink-3 tabular-nums">
						{span.cost_nano_usd !== null && formatNanoUsd(span.cost_nano_usd)}
					</span>
				</>
			)}
			<span className="text-right text-xs text-ink-2 tabular-nums">{formatMs(span.duration_ms)}</span>
		</div>
	)
}

function TimeAxis({ durationMs }: { durationMs: number }) {
	return (
		<div
			aria-hidden="true"
			className={cn(columns, 'h-7 border-b border-line text-xs text-ink-3 tabular-nums')}
		>
			<span>Span</span>
			<span className="flex justify-between">
				<span>0</span>
				<span className="hidden sm:inline">{formatMs(durationMs / 2)}</span>
				<span>{formatMs(durationMs)}</span>
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
