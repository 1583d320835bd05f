import { useEffect, useRef, useState } from 'react'
import { useKeptDraft } from './kept-draft.ts'

/** What a form shows about its draft: whether there is something to save, and whether that would undo what somebody else did. */
export interface Edited {
	isChanged: boolean
	/** Fields that somebody else has changed as well as the person, with what is stored now. */
	overtaken: object
	/** Forgets what was entered in these fields. */
	takeTheirs(): void
	/** Forgets what was entered so far: what is entered while it is being saved stays. */
	reset(): void
}

interface Draft<T> extends Edited {
	/** What the form shows: what the person entered, and elsewhere what is stored now. */
	draft: T
	setDraft(draft: T): void
	/** The entered values that differ from what is stored; only these are to be sent. */
	changes: Partial<T>
}

interface Entered<T> {
	values: Partial<T>
	/** What was stored in the same fields when the person changed them. */
	before: Partial<T>
}

/**
 * The fields of a form over a stored object. A change that somebody else makes meanwhile appears in the fields that the person has not
 * touched, and saving does not undo it. With a name, what was entered outlives the screen.
 */
export function useDraft<T extends object>(saved: T, name?: string): Draft<T> {
	const [here, setHere] = useState<Entered<T> | null>(null)
	const [kept, keep] = useKeptDraft<Entered<T>>(name ?? '')
	const entered = name === undefined ? here : kept
	const setEntered = name === undefined ? setHere : keep
	const latest = useRef(entered)
	latest.current = entered
	const enter = (values: Partial<T>, before: Partial<T>) =>
		setEntered(hasFields(values) ? { values, before } : null)
	const changes = changedFields(entered?.values ?? {}, saved)
	const isChanged = hasFields(changes)
	const before = fieldsOf(entered?.before ?? {}, changes) as Partial<T>
	const isStored = entered !== null && Object.keys(changes).length < Object.keys(entered.values).length
	// What equals the stored value is no change, and must not become one when the stored value changes.
	useEffect(() => {
		if (isStored) enter(changes, before)
	})
	const overtaken = fieldsOf(saved, changedFields(before, saved))
	const draft = { ...saved, ...changes }
	return {
		draft,
		setDraft: (next) => {
			const values = { ...changes, ...changedFields(next, draft) }
			enter(values, { ...fieldsOf(saved, values), ...before })
		},
		changes,
		isChanged,
		overtaken,
		takeTheirs: () => enter(without(changes, overtaken), before),
		reset: () => {
			const { values, before } = latest.current ?? { values: {}, before: {} }
			const later = changedFields<object>(values, entered?.values ?? {})
			enter(later, fieldsOf(before, later))
		},
	}
}

/** The fields whose values differ from those of another object. */
export function changedFields<T extends object>(values: T, from: NoInfer<Partial<T>>): Partial<T> {
	const isSame = (key: string) =>
		JSON.stringify(values[key as keyof T]) === JSON.stringify(from[key as keyof T])
	return Object.fromEntries(Object.entries(values).filter(([key]) => !isSame(key))) as Partial<T>
}

/** Whether there is something to send: the API refuses a change of nothing. */
export function hasFields(body: object): boolean {
	return Object.keys(body).length > 0
}

/** The fields of an object that another one has. */
function fieldsOf<T extends object>(object: T, like: Partial<T>): Partial<T> {
	return Object.fromEntries(Object.keys(like).map((key) => [key, object[key as keyof T]])) as Partial<T>
}

/** The fields of an object that another one does not have. */
function without<T extends object>(object: Partial<T>, others: object): Partial<T> {
	return Object.fromEntries(Object.entries(object).filter(([key]) => !(key in others))) as Partial<T>
}
