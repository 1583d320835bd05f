import { type ReactNode, useMemo, useState } from 'react'
import { formatCompact, formatCount } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { CheckLine } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Table, Td, Th } from '../../ui/table.tsx'
import { compareLines } from '../tool-definitions/difference-text.ts'

/** A line of the left text next to one of the right; null if the other text has no corresponding line. */
export interface LinePair {
	left: string | null
	right: string | null
}

/** Pairs equal lines; lines that differ are paired with those that replaced them. */
export function pairLines(left: string, right: string): LinePair[] {
	const pairs: LinePair[] = []
	/** The first pair of the differing range, from which the right side is filled. */
	let open: number | null = null
	for (const { kind, text } of compareLines(left, right)) {
		if (kind === 'same') {
			pairs.push({ left: text, right: text })
			open = null
		} else if (kind === 'removed') {
			open ??= pairs.length
			pairs.push({ left: text, right: null })
		} else {
			const place = open === null ? undefined : pairs[open]
			if (open !== null && place) {
				place.right = text
				open += 1
			} else pairs.push({ left: null, right: text })
		}
	}
	return pairs
}

const isSame = ({ left, right }: LinePair) => left === right
/** Number of equal lines shown around a difference. */
const around = 2

/** Two texts next to each other, line by line; long equal ranges are folded. */
export function LineDifferences({ label, left, right }: { label: string; left: string; right: string }) {
	const [isWhole, setIsWhole] = useState(false)
	const pairs = useMemo(() => pairLines(left, right), [left, right])
	const parts = useMemo(() => foldEqual(pairs), [pairs])
	if (left === right) return <p className="text-ink-3">Same on both sides.</p>
	return (
		<div
			{...scrollRegion(label)}
			className="max-h-[70vh] overflow-auto rounded-md border border-line font-mono text-xs"
		>
			{(isWhole ? pairs : parts).map((part, at) =>
				'skipped' in part ? (
					<button
						// biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
						key={at}
						type="button"
						onClick={() => setIsWhole(true)}
						className="block min-h-6 w-full bg-sunken px-3 py-1 text-left font-sans text-ink-2 hover:bg-hover"
					>
						Show {formatCount(part.skipped)} equal lines
					</button>
				) : (
					// biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
					<div key={at} className="grid grid-cols-[minmax(0,1fr)] sm:grid-cols-2 sm:divide-x sm:divide-line">
						<Line text={part.left} isSame={isSame(part)} side="left" />
						<Line text={part.right} isSame={isSame(part)} side="right" />
					</div>
				),
			)}
		</div>
	)
}

function Line({ text, isSame, side }: { text: string | null; isSame: boolean; side: 'left' | 'right' }) {
	return (
		<div
			className={cn(
				'min-h-5 px-3 wrap-anywhere whitespace-pre-wrap',
				// On a narrow screen an equal line is shown once.
				isSame && side === 'right' && 'hidden sm:block',
				text === null && 'hidden bg-sunken sm:block',
				text !== null && !isSame && (side === 'left' ? 'bg-bad-soft' : 'bg-ok-soft'),
			)}
		>
			{text !== null && !isSame && (
				<span className="sr-only">{side === 'left' ? 'Only left: ' : 'Only right: '}</span>
			)}
			{text}
		</div>
	)
}

function foldEqual(pairs: readonly LinePair[]): (LinePair | { skipped: number })[] {
	const isNear = new Set<number>()
	for (const [at, pair] of pairs.entries())
		if (!isSame(pair)) for (let near = at - around; near <= at + around; near++) isNear.add(near)
	const parts: (LinePair | { skipped: number })[] = []
	for (const [at, pair] of pairs.entries()) {
		const last = parts.at(-1)
		if (isNear.has(at)) parts.push(pair)
		else if (last && 'skipped' in last) last.skipped += 1
		else parts.push({ skipped: 1 })
	}
	return parts
}

export interface Fact {
	name: string
	left: string
	right: string
	/** The change on the right side, if the values are numbers. */
	change?: string | undefined
}

interface FactTableProps {
	facts: readonly Fact[]
	heads: readonly [ReactNode, ReactNode]
}

export function FactTable({ facts, heads }: FactTableProps) {
	const [isAll, setIsAll] = useState(false)
	const differing = facts.filter(({ left, right }) => left !== right)
	const shown = isAll ? facts : differing
	return (
		<Panel
			title={`Differences (${differing.length})`}
			actions={
				<CheckLine label="Show unchanged parts" checked={isAll} onChange={setIsAll}>
					Show unchanged parts
				</CheckLine>
			}
			flush
		>
			<Table label="Facts of both">
				<thead>
					<tr>
						<Th>
							<span className="sr-only">Fact</span>
						</Th>
						<Th className="py-2 text-sm text-ink">{heads[0]}</Th>
						<Th className="py-2 text-sm text-ink">{heads[1]}</Th>
						<Th right className="hidden sm:table-cell">
							Change
						</Th>
					</tr>
				</thead>
				<tbody>
					{shown.map(({ name, left, right, change }) => (
						<tr key={name}>
							<Td className="max-w-28 min-w-28 wrap-anywhere text-ink-3 sm:max-w-72 sm:min-w-40">{name}</Td>
							<Td className="max-w-96 wrap-anywhere tabular-nums">{left}</Td>
							<Td className={cn('max-w-96 wrap-anywhere tabular-nums', left !== right && 'font-medium')}>
								{right}
							</Td>
							<Td right className="hidden whitespace-nowrap text-ink-2 sm:table-cell">
								{change}
							</Td>
						</tr>
					))}
				</tbody>
			</Table>
			{shown.length === 0 && <p className="p-4 text-ink-3">All figures and names are the same.</p>}
		</Panel>
	)
}

/** `+12 %`; nothing where it has no meaning. */
function changeOf(left: number | null, right: number | null): string | undefined {
	if (left === null || right === null || left === right || left === 0) return undefined
	const percent = ((right - left) / left) * 100
	return `${percent > 0 ? '+' : '−'}${Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : formatCompact(Math.round(Math.abs(percent)))} %`
}

export function numberFact<T>(
	name: string,
	[left, right]: readonly [T, T],
	numberOf: (one: T) => number | null,
	format: (value: number) => string,
): Fact {
	const [a, b] = [numberOf(left), numberOf(right)]
	const show = (value: number | null) => (value === null ? '–' : format(value))
	return { name, left: show(a), right: show(b), change: changeOf(a, b) }
}

export function textFact<T>(
	name: string,
	[left, right]: readonly [T, T],
	textOf: (one: T) => string | null | undefined,
): Fact {
	return { name, left: textOf(left) || '–', right: textOf(right) || '–' }
}

export const isKnown = ({ left, right }: Fact) => left !== '–' || right !== '–'
