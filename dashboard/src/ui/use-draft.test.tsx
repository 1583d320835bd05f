import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { forgetDrafts } from './kept-draft.ts'
import { changedFields, useDraft } from './use-draft.ts'

const saved = { name: 'Support', description: 'Sorts mail', groups: ['a'] }
const edit = (first = saved) => renderHook((now: typeof saved) => useDraft(now), { initialProps: first })

test('what somebody else changes appears in untouched fields, and saving does not undo it', () => {
	const { result, rerender } = edit()
	expect(result.current.isChanged).toBe(false)
	act(() => result.current.setDraft({ ...result.current.draft, name: 'Support desk' }))
	rerender({ ...saved, description: 'Sorts mail and chats', groups: ['a', 'b'] })
	expect(result.current.draft).toEqual({
		...{ name: 'Support desk', description: 'Sorts mail and chats', groups: ['a', 'b'] },
	})
	expect(result.current.changes).toEqual({ name: 'Support desk' })
})

test('what was entered and is stored now is no longer a change, also when it changes again', () => {
	const { result, rerender } = edit()
	act(() => result.current.setDraft({ ...saved, name: 'Support desk' }))
	rerender({ ...saved, name: 'Support desk' })
	expect(result.current.isChanged).toBe(false)
	rerender({ ...saved, name: 'Help desk' })
	expect(result.current.draft.name).toBe('Help desk')
	expect(result.current.isChanged).toBe(false)
	act(() => result.current.setDraft({ ...saved, name: 'Mine' }))
	act(() => result.current.reset())
	expect(result.current.draft.name).toBe('Help desk')
})

test('a change of the same field by somebody else is reported until one of the two is chosen', () => {
	const { result, rerender } = edit()
	act(() => result.current.setDraft({ ...saved, name: 'Mine' }))
	rerender({ ...saved, description: 'Sorts chats' })
	expect(result.current.overtaken).toEqual({})
	rerender({ ...saved, name: 'Theirs' })
	expect(result.current.overtaken).toEqual({ name: 'Theirs' })
	act(() => result.current.setDraft({ ...result.current.draft, name: 'Mine, too' }))
	expect(result.current.overtaken).toEqual({ name: 'Theirs' })
	rerender({ ...saved, name: 'Mine, too' })
	expect(result.current).toMatchObject({ overtaken: {}, isChanged: false })
})

test('with their value of a field that both have changed, the other changes of the person stay', () => {
	const { result, rerender } = edit()
	act(() => result.current.setDraft({ ...saved, name: 'Mine', groups: ['b'] }))
	rerender({ ...saved, name: 'Theirs' })
	act(() => result.current.takeTheirs())
	expect(result.current).toMatchObject({ overtaken: {}, changes: { groups: ['b'] } })
	expect(result.current.draft.name).toBe('Theirs')
})

test('what is entered while the rest is being saved stays', () => {
	const { result, rerender } = edit()
	act(() => result.current.setDraft({ ...saved, name: 'Mine', description: 'Sorts' }))
	const { reset } = result.current
	act(() => result.current.setDraft({ ...result.current.draft, description: 'Sorts all' }))
	rerender({ ...saved, name: 'Mine', description: 'Sorts' })
	act(() => reset())
	expect(result.current.changes).toEqual({ description: 'Sorts all' })
	act(() => result.current.reset())
	expect(result.current.changes).toEqual({})
})

test('with a name, what was entered is still there when the form is opened again, for this person only', () => {
	const open = (name: string) => renderHook(() => useDraft(saved, name))
	const first = open('agent 1')
	act(() => first.result.current.setDraft({ ...saved, name: 'Mine' }))
	first.unmount()
	expect(open('agent 1').result.current.draft.name).toBe('Mine')
	expect(open('agent 2').result.current.isChanged).toBe(false)
	act(forgetDrafts)
	expect(open('agent 1').result.current.isChanged).toBe(false)
})

test('only fields that differ from what is stored are to be sent', () => {
	const input = { ...saved, name: 'Mine', groups: ['a'] }
	expect(changedFields(input, saved)).toEqual({ name: 'Mine' })
	expect(changedFields(input, {})).toEqual(input)
})
