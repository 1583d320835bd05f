import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useDraft } from './use-draft.ts'

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
