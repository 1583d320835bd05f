// biome-ignore-all lint/a11y/useSemanticElements: the rows and cells of a partly rendered table are positioned individually, which a table element does not support
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names the chosen cell as its active descendant

import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { Schemas } from '../../api.ts'
import { showDirections, showHidden } from '../../lib/show-hidden.ts'
import { cn } from '../../ui/cn.ts'
import { Icon, type IconName } from '../../ui/icons.tsx'

export type MatrixAgent = Schemas['MatrixAgent']
export type MatrixServer = Schemas['MatrixServer']
export type MatrixCell = Schemas['MatrixCell']

export interface MatrixColumn {
	server: MatrixServer
	tool: string
}

export interface MatrixPlace {
	row: number
	column: number
}

const rowPx = 34
const cellPx = 34
const agentPx = 176
/** Two lines for the name of a server. */
const bandPx = 40
const shownPx = 620
/** Width of a letter of a server's name on average, and of a tool's name always. */
const letterPx = 7
const monoPx = 7.3
const paddingPx = 18
const maxNamePx = 220

/** The sign, colour and word for the access of an agent to a tool. */
export const cellStates = {
	allowed: { word: 'Allowed', icon: 'check', look: 'bg-ok-soft text-ok' },
	limited: { word: 'Allowed for some arguments', icon: 'limit', look: 'bg-ok-soft text-ok' },
	asks: { word: 'Allowed with approval', icon: 'ask', look: 'bg-accent-soft text-accent' },
	denied: { word: 'Denied', icon: 'block', look: 'bg-warn-soft text-warn' },
	none: { word: 'Not granted', icon: null, look: '' },
} as const satisfies Record<string, { word: string; icon: IconName | null; look: string }>

export function cellOf(agent: MatrixAgent, { server }: MatrixColumn): MatrixCell | undefined {
	return agent.access.find(({ server_id }) => server_id === server.id)
}

export function stateOf(agent: MatrixAgent, column: MatrixColumn): keyof typeof cellStates {
	const decision = cellOf(agent, column)?.tools.find(({ name }) => name === column.tool)
	if (!decision) return 'none'
	if (!decision.allowed) return 'denied'
	if (decision.reason === 'granted_on_approval') return 'asks'
	return decision.reason === 'granted_constrained' ? 'limited' : 'allowed'
}

interface Band {
	server: MatrixServer
	first: number
	count: number
}

interface MatrixLayout {
	bands: Band[]
	/** The left edge of each column, and the right edge of the last one, counted from the first column. */
	edges: number[]
	/** Height of the names of the tools. */
	toolsPx: number
}

/** A server with few tools gets wider columns, so that its name fits above them in two lines. */
export function layOut(columns: readonly MatrixColumn[]): MatrixLayout {
	const bands: Band[] = []
	for (const [at, { server }] of columns.entries()) {
		const last = bands.at(-1)
		if (last?.server.id === server.id) last.count += 1
		else bands.push({ server, first: at, count: 1 })
	}
	const edges = [0]
	for (const { server, count } of bands) {
		const width = Math.max(cellPx, Math.ceil(widthOf(server.name) / count))
		for (let at = 0; at < count; at += 1) edges.push((edges.at(-1) as number) + width)
	}
	const longest = Math.max(0, ...columns.map(({ tool }) => tool.length))
	return { bands, edges, toolsPx: Math.max(80, Math.min(maxNamePx, longest * monoPx + paddingPx)) }
}

/** How wide a name is, about, when it is broken between two words where that makes it narrowest. */
function widthOf(name: string): number {
	const breaks = [...name.matchAll(/[\s-]/g)].map(({ index }) => index + 1)
	const lengths = [name.length, ...breaks.map((at) => Math.max(at, name.length - at))]
	return Math.min(maxNamePx, Math.min(...lengths) * letterPx + paddingPx)
}

interface MatrixGridProps {
	rows: number
	/** Undefined while the page with this row is loading. */
	agentAt(row: number): MatrixAgent | undefined
	columns: readonly MatrixColumn[]
	place: MatrixPlace
	onPlace(place: MatrixPlace): void
	onOpen(place: MatrixPlace): void
	/** Called with the first and the last row that may be needed next. */
	onRows(first: number, last: number): void
}

/** Agents as rows, tools as columns. Only visible cells are rendered, in both directions. */
export function MatrixGrid({ rows, agentAt, columns, place, onPlace, onOpen, onRows }: MatrixGridProps) {
	const box = useRef<HTMLDivElement>(null)
	const [scrolled, setScrolled] = useState({ top: 0, left: 0, width: 1600 })
	const firstRow = Math.max(0, Math.floor(scrolled.top / rowPx) - 4)
	const lastRow = Math.min(rows, firstRow + Math.ceil(shownPx / rowPx) + 8)
	const layout = useMemo(() => layOut(columns), [columns])
	const { edges, toolsPx } = layout
	const firstColumn = Math.max(0, edges.findLastIndex((edge) => edge <= scrolled.left) - 4)
	const lastColumn = Math.min(columns.length, firstColumn + Math.ceil(scrolled.width / cellPx) + 8)
	const inSight = columns.slice(firstColumn, lastColumn)
	const onScroll = () => {
		const { scrollTop, scrollLeft, clientWidth } = box.current as HTMLDivElement
		setScrolled({ top: scrollTop, left: scrollLeft, width: clientWidth })
		const first = Math.floor(scrollTop / rowPx)
		onRows(first, Math.min(rows - 1, first + Math.ceil(shownPx / rowPx)))
	}
	const onKey = (event: KeyboardEvent) => {
		if (event.key === 'Enter' || event.key === ' ') {
			event.preventDefault()
			return onOpen(place)
		}
		const next = nextPlace(event, place, rows, columns.length)
		if (!next) return
		event.preventDefault()
		onPlace(next)
		keepInSight(box.current, next, layout)
	}
	return (
		<div
			ref={box}
			role="grid"
			aria-label="Access of agents to tools"
			aria-rowcount={rows + 1}
			aria-colcount={columns.length + 1}
			aria-activedescendant={`cell-${place.row}-${place.column}`}
			tabIndex={0}
			onKeyDown={onKey}
			onScroll={onScroll}
			className="overflow-auto -outline-offset-2"
			style={{ maxHeight: shownPx }}
		>
			<div
				role="presentation"
				className="relative"
				style={{
					width: agentPx + (edges.at(-1) as number),
					height: bandPx + toolsPx + rows * rowPx,
				}}
			>
				<div
					role="row"
					aria-rowindex={1}
					className="sticky top-0 z-20 bg-surface"
					style={{ height: bandPx + toolsPx }}
				>
					<div
						role="columnheader"
						aria-colindex={1}
						className="sticky left-0 z-20 flex h-full items-end border-r border-b border-line bg-surface px-3 pb-1.5 text-xs font-medium text-ink-3"
						style={{ width: agentPx }}
					>
						Agent
					</div>
					<ServerBands {...layout} />
					{inSight.map((column, at) => (
						<div
							key={`${column.server.id} ${column.tool}`}
							role="columnheader"
							aria-colindex={firstColumn + at + 2}
							title={`${column.tool} on ${column.server.name}`}
							className={cn(
								'absolute flex items-start justify-center border-b border-line pb-1.5',
								firstColumn + at === place.column && 'bg-hover',
							)}
							style={{
								...columnPlace(edges, firstColumn + at),
								top: bandPx,
								height: toolsPx,
							}}
						>
							<span className="h-full rotate-180 truncate font-mono text-xs text-ink-2 [writing-mode:vertical-rl]">
								{showHidden(column.tool)}
							</span>
							<span className="sr-only"> on {column.server.name}</span>
						</div>
					))}
				</div>
				{Array.from({ length: lastRow - firstRow }, (_, at) => firstRow + at).map((row) => (
					<AgentRow
						key={row}
						row={row}
						agent={agentAt(row)}
						columns={inSight}
						firstColumn={firstColumn}
						layout={layout}
						place={place}
						onOpen={(column) => {
							onPlace({ row, column })
							onOpen({ row, column })
						}}
					/>
				))}
			</div>
		</div>
	)
}

function columnPlace(edges: readonly number[], column: number): { left: number; width: number } {
	const left = edges[column] as number
	return { left: agentPx + left, width: (edges[column + 1] as number) - left }
}

/** The names of the servers above their tools; a name stays visible as long as one of its tools is. */
function ServerBands({ bands, edges }: MatrixLayout) {
	return (
		<div aria-hidden="true">
			{bands.map(({ server, first, count }) => (
				<div
					key={server.id}
					className="absolute top-0 border-r border-b border-line bg-sunken"
					style={{
						left: agentPx + (edges[first] as number),
						width: (edges[first + count] as number) - (edges[first] as number),
						height: bandPx,
					}}
				>
					<span
						title={server.name}
						className="sticky inline-flex h-full max-w-full items-center px-2 text-xs leading-4 font-semibold"
						style={{ left: agentPx }}
					>
						<span className="line-clamp-2 break-words">{showDirections(server.name)}</span>
					</span>
				</div>
			))}
		</div>
	)
}

interface AgentRowProps {
	row: number
	agent: MatrixAgent | undefined
	columns: readonly MatrixColumn[]
	firstColumn: number
	layout: MatrixLayout
	place: MatrixPlace
	onOpen(column: number): void
}

function AgentRow({ row, agent, columns, firstColumn, layout, place, onOpen }: AgentRowProps) {
	const { edges, toolsPx } = layout
	return (
		<div
			role="row"
			aria-rowindex={row + 2}
			className={cn('absolute w-full border-b border-line', row === place.row && 'bg-hover')}
			style={{ top: bandPx + toolsPx + row * rowPx, height: rowPx }}
		>
			<div
				role="rowheader"
				aria-colindex={1}
				title={agent?.name}
				className={cn(
					'sticky left-0 z-10 flex h-full items-center gap-1.5 border-r border-line px-3',
					row === place.row ? 'bg-hover' : 'bg-surface',
				)}
				style={{ width: agentPx }}
			>
				<span className="truncate font-medium">{agent ? showDirections(agent.name) : 'Loading…'}</span>
				{agent && agent.status !== 'active' && (
					<span className="shrink-0 text-xs text-ink-3">{agent.status}</span>
				)}
			</div>
			{agent &&
				columns.map((column, at) => {
					const index = firstColumn + at
					const { word, icon, look } = cellStates[stateOf(agent, column)]
					const isChosen = row === place.row && index === place.column
					return (
						// biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the focus and takes the keys
						<div
							key={`${column.server.id} ${column.tool}`}
							id={`cell-${row}-${index}`}
							role="gridcell"
							tabIndex={-1}
							aria-colindex={index + 2}
							aria-selected={isChosen}
							aria-label={`${agent.name}, ${column.tool} on ${column.server.name}: ${word}`}
							title={word}
							onClick={() => onOpen(index)}
							className="absolute top-0 grid cursor-pointer place-items-center border-r border-line"
							style={{ ...columnPlace(edges, index), height: rowPx - 1 }}
						>
							<span
								className={cn(
									'grid size-6 place-items-center rounded',
									look || 'hover:bg-sunken',
									isChosen && 'outline-2 outline-accent',
								)}
							>
								{icon && <Icon name={icon} className="size-3.5" />}
							</span>
						</div>
					)
				})}
		</div>
	)
}

const jumpRows = 10

/** The cell to which a key moves; null for other keys. */
export function nextPlace(
	{ key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
	{ row, column }: MatrixPlace,
	rows: number,
	columns: number,
): MatrixPlace | null {
	const next = {
		ArrowDown: { row: row + 1, column },
		ArrowUp: { row: row - 1, column },
		ArrowRight: { row, column: column + 1 },
		ArrowLeft: { row, column: column - 1 },
		PageDown: { row: row + jumpRows, column },
		PageUp: { row: row - jumpRows, column },
		Home: { row: ctrlKey ? 0 : row, column: 0 },
		End: { row: ctrlKey ? rows - 1 : row, column: columns - 1 },
	}[key]
	if (!next) return null
	const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value))
	return { row: within(next.row, rows), column: within(next.column, columns) }
}

/** Scrolls no further than necessary. */
function keepInSight(
	box: HTMLDivElement | null,
	{ row, column }: MatrixPlace,
	{ edges, toolsPx }: MatrixLayout,
): void {
	if (!box) return
	const top = row * rowPx
	const [left, right] = [edges[column] as number, edges[column + 1] as number]
	const height = box.clientHeight - bandPx - toolsPx
	const width = box.clientWidth - agentPx
	if (top < box.scrollTop) box.scrollTop = top
	else if (top + rowPx > box.scrollTop + height) box.scrollTop = top + rowPx - height
	if (left < box.scrollLeft) box.scrollLeft = left
	else if (right > box.scrollLeft + width) box.scrollLeft = right - width
}
