import { useSyncExternalStore } from 'react'
import { Icon } from './icons.tsx'

interface Toast {
	id: number
	text: string
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Says briefly, and to screen readers, that something was done. */
export function toast(text: string): void {
	lastId += 1
	const id = lastId
	change([...toasts, { id, text }])
	setTimeout(() => change(toasts.filter((one) => one.id !== id)), 4000)
}

function change(next: readonly Toast[]): void {
	toasts = next
	for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

export function ToastPlace() {
	const shown = useSyncExternalStore(subscribe, () => toasts)
	return (
		<div role="status" aria-live="polite" className="fixed right-4 bottom-4 z-60 grid gap-2">
			{shown.map(({ id, text }) => (
				<p
					key={id}
					className="flex animate-rise items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 shadow-float"
				>
					<Icon name="check" className="text-ok" />
					{text}
				</p>
			))}
		</div>
	)
}
