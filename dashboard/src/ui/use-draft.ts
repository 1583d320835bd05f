import { useState } from 'react'

interface Draft<T> {
	/** What the form shows: what the person entered, and elsewhere what is stored now. */
	draft: T
	setDraft(draft: T): void
	/** The entered values that differ from what is stored; only these are to be sent. */
	changes: Partial<T>
	isChanged: boolean
	/** Forgets what was entered. */
	reset(): void
}

/**
 * The fields of a form over a stored object. A change that somebody else makes meanwhile appears in the fields that the person has not
 * touched, and saving does not undo it.
 */
export function useDraft<T extends object>(saved: T): Draft<T> {
	const [entered, setEntered] = useState<Partial<T>>({})
	const changes = differing(entered, saved)
	// What equals the stored value is no change, and must not become one when the stored value changes.
	if (Object.keys(changes).length < Object.keys(entered).length) setEntered(changes)
	const draft = { ...saved, ...changes }
	return {
		draft,
		setDraft: (next) => setEntered({ ...changes, ...differing(next, draft) }),
		changes,
		isChanged: Object.keys(changes).length > 0,
		reset: () => setEntered({}),
	}
}

/** The fields whose values differ from those of another object. */
function differing<T extends object>(values: Partial<T>, from: T): Partial<T> {
	const isSame = (key: string) =>
		JSON.stringify(values[key as keyof T]) === JSON.stringify(from[key as keyof T])
	return Object.fromEntries(Object.entries(values).filter(([key]) => !isSame(key))) as Partial<T>
}
