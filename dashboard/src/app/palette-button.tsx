import { lazy, Suspense, startTransition, useEffect, useState } from 'react'
import { isTyping } from '../lib/is-typing.ts'
import { Icon } from '../ui/icons.tsx'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }))
const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)

/**
 * Opens the search by a click, or anywhere by Ctrl K (⌘ K), and the list of keys by `?`. If there are two on a page, only one listens
 * for the keys.
 */
export function PaletteButton({ listens }: { listens: boolean }) {
	const [open, setOpen] = useState(false)
	const [isHelp, setHelp] = useState(false)
	useEffect(() => {
		if (!listens) return
		const onKey = (event: KeyboardEvent) => {
			const isSearch = event.key === 'k' && (event.ctrlKey || event.metaKey)
			const isHelp = event.key === '?' && !isTyping(event.target)
			if (!isSearch && !isHelp) return
			event.preventDefault()
			startTransition(() => {
				if (isSearch) setOpen((now) => !now)
				else setHelp(true)
			})
		}
		addEventListener('keydown', onKey)
		return () => removeEventListener('keydown', onKey)
	}, [listens])
	return (
		<>
			<button
				type="button"
				onClick={() => startTransition(() => setOpen(true))}
				className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-sunken px-2.5 text-ink-2 hover:border-field hover:text-ink"
			>
				<Icon name="search" className="size-3.5" />
				<span className="flex-1 text-left">Search…</span>
				<kbd className="font-sans text-xs text-ink-3">{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
			</button>
			{/* It is always there and opened in a transition, since React delays what a new boundary shows, and typing would be lost. */}
			<Suspense>
				{isHelp && <KeysDialog onClose={() => setHelp(false)} />}
				{open && <Palette open onClose={() => setOpen(false)} />}
			</Suspense>
		</>
	)
}
