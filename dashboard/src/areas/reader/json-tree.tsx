import { useMemo, useState } from 'react'
import { showHidden } from '../../lib/show-hidden.ts'
import { cn } from '../../ui/cn.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icons.tsx'

const searchedFrom = 12
const shownChildren = 200

/** JSON as a tree that opens level by level, with a button to copy it and a search in names and values. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
	const [wanted, setWanted] = useState('')
	const text = useMemo(() => JSON.stringify(value, null, 2) ?? '', [value])
	const size = useMemo(() => text.split('\n').length, [text])
	const needle = wanted.trim().toLowerCase()
	return (
		<div className="rounded-md border border-line bg-canvas">
			<div className="flex items-center gap-2 py-1 pr-1 pl-3 text-xs text-ink-3">
				<span className="min-w-0 flex-1 truncate">{label}</span>
				{size > searchedFrom && (
					<input
						type="search"
						aria-label={`Search in ${label}`}
						placeholder="Search"
						value={wanted}
						onChange={(event) => setWanted(event.target.value)}
						className="h-7 w-32 rounded-md border border-field bg-surface px-2 text-ink placeholder:text-ink-3"
					/>
				)}
				<CopyButton text={text} />
			</div>
			{/* biome-ignore lint/a11y/useSemanticElements: it is not a group of form fields */}
			<div
				// A message may contain several with one name, which is not allowed for landmarks.
				role="group"
				aria-label={label}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling part must be reachable by keyboard
				tabIndex={0}
				className="max-h-96 overflow-auto px-3 pb-2 font-mono text-xs leading-relaxed"
			>
				<Node value={value} depth={0} needle={needle} />
			</div>
		</div>
	)
}

interface NodeProps {
	name?: string
	value: unknown
	depth: number
	/** In lower case; '' without a search. */
	needle: string
}

function Node({ name, value, depth, needle }: NodeProps) {
	const isOpenAtFirst = depth < 2
	const [chosen, setChosen] = useState<boolean | null>(null)
	if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} needle={needle} />
	const entries = Object.entries(value)
	const isList = Array.isArray(value)
	const isOpen = chosen ?? (needle === '' ? isOpenAtFirst : holds(value, needle))
	return (
		<div>
			<button
				type="button"
				aria-expanded={isOpen}
				onClick={() => setChosen(!isOpen)}
				className="inline-flex min-h-6 items-center gap-1 rounded text-left hover:bg-hover"
			>
				<Icon name="chevron" className={cn('size-3 text-ink-3', isOpen && 'rotate-90')} />
				{name !== undefined && <Name name={name} needle={needle} />}
				<span className="text-ink-3">{isList ? `[${entries.length}]` : `{${entries.length}}`}</span>
			</button>
			{isOpen && (
				<div className="ml-1.5 border-l border-line pl-3">
					{entries.slice(0, shownChildren).map(([key, inner]) => (
						<Node key={key} name={key} value={inner} depth={depth + 1} needle={needle} />
					))}
					{entries.length > shownChildren && (
						<span className="text-ink-3">and {entries.length - shownChildren} more in the copy</span>
					)}
				</div>
			)}
		</div>
	)
}

const isIn = (text: string, needle: string) => needle !== '' && text.toLowerCase().includes(needle)

function holds(value: unknown, needle: string): boolean {
	if (typeof value !== 'object' || value === null) return isIn(String(value), needle)
	return Object.entries(value).some(([key, inner]) => isIn(key, needle) || holds(inner, needle))
}

function Name({ name, needle }: { name: string; needle: string }) {
	return <span className={cn('text-accent', isIn(name, needle) && 'bg-warn-soft')}>{showHidden(name)}:</span>
}

function Leaf({ name, value, needle }: Pick<NodeProps, 'value' | 'needle'> & { name: string | undefined }) {
	const text = typeof value === 'string' ? showHidden(value) : String(value)
	return (
		<div className="min-h-6 pl-4 wrap-anywhere whitespace-pre-wrap">
			{name !== undefined && (
				<>
					<Name name={name} needle={needle} />{' '}
				</>
			)}
			<span
				className={cn(
					typeof value === 'string' ? 'text-ink' : 'text-model',
					isIn(text, needle) && 'bg-warn-soft',
				)}
			>
				{text}
			</span>
		</div>
	)
}
