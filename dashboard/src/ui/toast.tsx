import { useSyncExternalStore } from 'react'
import { Icon } from './icons.tsx'

interface Toast {
	id: number
	text: string
	/** Whether it says that something was not done. */
	isFailure: boolean
	/** Undoes the action. */
	undo?: () => Promise<unknown>
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a brief message that something was done, also to screen readers; longer if it can be undone. */
export function toast(text: string, undo?: () => Promise<unknown>): void {
	add({ text, isFailure: false, ...(undo && { undo }) }, undo ? 10_000 : 4000)
}

/** Says that something was not done, where no form or dialog shows the error. It stays longer, as it asks for an action. */
export function toastFailure(text: string): void {
	add({ text, isFailure: true }, 10_000)
}

function add(shown: Omit<Toast, 'id'>, ms: number): void {
	lastId += 1
	const id = lastId
	change([...toasts, { id, ...shown }])
	setTimeout(() => dismiss(id), ms)
}

function dismiss(id: number): void {
	change(toasts.filter((one) => one.id !== id))
}

async function takeBack({ id, undo }: Toast): Promise<void> {
	dismiss(id)
	try {
		await undo?.()
		toast('Undone')
	} catch (error) {
		toastFailure(error instanceof Error ? error.message : 'It could not be undone')
	}
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
			{shown.map((one) => (
				<p
					key={one.id}
					className="flex animate-rise items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 shadow-float wrap-anywhere"
				>
					{one.isFailure ? (
						<Icon name="alert" className="text-bad" />
					) : (
						<Icon name="check" className="text-ok" />
					)}
					{one.text}
					{one.undo && (
						<button
							type="button"
							onClick={() => void takeBack(one)}
							className="min-h-6 px-1 font-medium text-accent hover:underline"
						>
							Undo
						</button>
					)}
				</p>
			))}
		</div>
	)
}
