import { showHidden } from '../../lib/show-hidden.ts'
import { cn } from '../../ui/cn.ts'
import type { IconName } from '../../ui/icons.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Badge, type Tone } from '../../ui/status.tsx'
import { compareLines, compareWords, type Piece, readable } from './difference-text.ts'
import type { DefinitionDiff } from './queries.ts'

type Difference = DefinitionDiff['differences'][number]

const parts: Readonly<Record<string, string>> = {
	name: 'Name',
	title: 'Title',
	description: 'Description',
	inputSchema: 'Arguments',
	outputSchema: 'Result',
	annotations: 'Annotations',
}

const changes: Record<Difference['change'], { tone: Tone; icon: IconName }> = {
	added: { tone: 'ok', icon: 'plus' },
	removed: { tone: 'bad', icon: 'minus' },
	changed: { tone: 'warn', icon: 'refresh' },
}

/** The differences between two definitions, by part. */
export function DifferenceList({ differences }: { differences: readonly Difference[] }) {
	const names = [...new Set(differences.map(({ part }) => part))]
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			{names.map((name) => (
				<section key={name} aria-label={`Difference: ${parts[name] ?? name}`}>
					<h3 className="mb-1.5 font-semibold">{parts[name] ?? name}</h3>
					<ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
						{differences
							.filter(({ part }) => part === name)
							.map((difference) => (
								<DifferenceItem key={difference.pointer} difference={difference} />
							))}
					</ul>
				</section>
			))}
		</div>
	)
}

function DifferenceItem({ difference: { part, pointer, change, from, to } }: { difference: Difference }) {
	const { tone, icon } = changes[change]
	const [was, is] = [change === 'added' ? '' : readable(from), change === 'removed' ? '' : readable(to)]
	const words = typeof from === 'string' && typeof to === 'string' ? compareWords(was, is) : null
	const label = `${parts[part] ?? part}${pointer}: ${change}`
	return (
		<li className="overflow-hidden rounded-lg border border-line">
			<div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
				<Badge tone={tone} icon={icon}>
					{change}
				</Badge>
				{pointer && <span className="font-mono text-xs break-all text-ink-2">{showHidden(pointer)}</span>}
			</div>
			<div
				{...scrollRegion(label)}
				className="max-h-96 overflow-auto bg-sunken py-2 font-mono text-xs leading-relaxed"
			>
				{words ? <Words pieces={words} /> : <Lines pieces={compareLines(was, is)} />}
			</div>
		</li>
	)
}

const marks = {
	same: { look: 'text-ink-2', sign: ' ', spoken: '' },
	added: { look: 'bg-ok-soft text-ok', sign: '+', spoken: 'added: ' },
	removed: { look: 'bg-bad-soft text-bad', sign: '−', spoken: 'removed: ' },
} as const

/** Removed text is struck through, added text underlined. */
function Words({ pieces }: { pieces: readonly Piece[] }) {
	return (
		<p className="px-3 break-words whitespace-pre-wrap">
			{pieces.map(({ kind, text }, index) => {
				const Tag = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span'
				return (
					// biome-ignore lint/suspicious/noArrayIndexKey: the pieces never move
					<Tag key={index} className={cn(marks[kind].look, kind === 'same' ? '' : 'rounded-xs')}>
						{marks[kind].spoken && <span className="sr-only">{marks[kind].spoken}</span>}
						{text}
					</Tag>
				)
			})}
		</p>
	)
}

function Lines({ pieces }: { pieces: readonly Piece[] }) {
	return (
		<ul>
			{pieces.map(({ kind, text }, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the lines never move
				<li key={index} className={cn('flex px-3', marks[kind].look)}>
					<span aria-hidden="true" className="w-4 shrink-0 select-none">
						{marks[kind].sign}
					</span>
					<span className="min-w-0 break-words whitespace-pre-wrap">
						{marks[kind].spoken && <span className="sr-only">{marks[kind].spoken}</span>}
						{text}
					</span>
				</li>
			))}
		</ul>
	)
}
