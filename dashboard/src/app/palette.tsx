import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { cn } from '../ui/cn.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { type PaletteEntry, usePaletteEntries } from './palette-entries.ts'

/** Opens any place by typing its name. */
export function Palette({ open, onClose }: { open: boolean; onClose(): void }) {
	return (
		<Dialog open={open} onClose={onClose} title="Search">
			<PaletteList onDone={onClose} />
		</Dialog>
	)
}

function PaletteList({ onDone }: { onDone(): void }) {
	const [wanted, setWanted] = useState('')
	const [chosen, setChosen] = useState(0)
	/** Enter came before anything was found: the first entry opens once it is there. */
	const [isEntered, setEntered] = useState(false)
	const { entries, isSearching } = usePaletteEntries(wanted)
	const navigate = useNavigate()
	const go = (entry: PaletteEntry | undefined) => {
		if (!entry) return
		onDone()
		if ('href' in entry.link) window.open(entry.link.href, '_blank', 'noreferrer')
		else void navigate(entry.link)
	}
	const onKey = (event: KeyboardEvent) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
		if (step) {
			event.preventDefault()
			setChosen((chosen + step + entries.length) % Math.max(1, entries.length))
		}
		if (event.key !== 'Enter') return
		if (entries.length > 0) go(entries[chosen])
		else setEntered(isSearching)
	}
	const first = isEntered ? entries[0] : undefined
	// biome-ignore lint/correctness/useExhaustiveDependencies: it opens once, when the first entry is there
	useEffect(() => {
		if (first) go(first)
		else if (!isSearching) setEntered(false)
	}, [first, isSearching])
	return (
		<>
			<input
				type="text"
				role="combobox"
				aria-label="Search for anything"
				aria-expanded="true"
				aria-controls="palette-list"
				aria-activedescendant={entries[chosen] && `palette-${entries[chosen].id}`}
				placeholder="Search, or paste an ID…"
				autoComplete="off"
				value={wanted}
				onChange={(event) => {
					setWanted(event.target.value)
					setChosen(0)
					setEntered(false)
				}}
				onKeyDown={onKey}
				className="h-9 w-full rounded-md border border-field bg-surface px-3 placeholder:text-ink-3"
			/>
			<div
				id="palette-list"
				role="listbox"
				aria-label="Matches"
				hidden={entries.length === 0}
				className="mt-3"
			>
				{entries.map((entry, index) => (
					// biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
					<div
						key={entry.id}
						id={`palette-${entry.id}`}
						role="option"
						tabIndex={-1}
						aria-selected={index === chosen}
						onClick={() => go(entry)}
						onPointerMove={() => setChosen(index)}
						className={cn(
							'flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5',
							index === chosen && 'bg-accent-soft',
						)}
					>
						<Icon name={entry.icon} className="text-ink-3" />
						<span className="flex-1 truncate font-medium">{entry.label}</span>
						<span className="text-xs text-ink-2">{entry.kind}</span>
					</div>
				))}
			</div>
			{entries.length === 0 && (
				<p role="status" className="mt-3 px-2.5 py-2 text-ink-2">
					{isSearching ? 'Searching…' : 'No results'}
				</p>
			)}
		</>
	)
}
