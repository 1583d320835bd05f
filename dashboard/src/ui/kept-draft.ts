import { useCallback, useSyncExternalStore } from 'react'

const drafts = new Map<string, unknown>()
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

/**
 * Unsaved changes, by the name of the object. They outlive the screen, so that looking something up elsewhere loses nothing; the
 * browser asks before the page itself is closed.
 */
export function useKeptDraft<T>(name: string): [T | null, (draft: T | null) => void] {
	const draft = useSyncExternalStore(subscribe, () => (drafts.get(name) as T | undefined) ?? null)
	const setDraft = useCallback((next: T | null) => keep(name, next), [name])
	return [draft, setDraft]
}

/** Whether something would be lost if the page were left: unsaved changes, or what was entered in an open dialog. */
export function hasEntered(): boolean {
	return drafts.size > 0 || document.querySelector('[role="dialog"][data-edited]') !== null
}

/** For the next person at this browser. */
export function forgetDrafts(): void {
	for (const name of [...drafts.keys()]) keep(name, null)
}

function keep(name: string, draft: unknown): void {
	if (draft === null) drafts.delete(name)
	else drafts.set(name, draft)
	if (drafts.size === 0) removeEventListener('beforeunload', askBeforeLeaving)
	else addEventListener('beforeunload', askBeforeLeaving)
	for (const listener of listeners) listener()
}
