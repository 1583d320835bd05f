import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { GrantEditor } from './grant-editor.tsx'
import type { GrantChoice } from './queries.ts'

const tools = [{ name: 'echo' }, { name: 'add' }, { name: 'wipe' }]
const onSave = vi.fn<(choice: GrantChoice) => void>()

// Radix measures its check boxes, and jsdom knows no sizes.
beforeAll(() => {
	vi.stubGlobal(
		'ResizeObserver',
		class {
			observe() {}
			unobserve() {}
			disconnect() {}
		},
	)
})
afterEach(() => {
	cleanup()
	onSave.mockReset()
})

function show(granted: GrantChoice | null): void {
	render(<GrantEditor granted={granted} tools={tools} action="Save" busy={false} onSave={onSave} />)
}

const box = (name: string) => screen.getByRole('checkbox', { name })
const isChecked = (name: string) => box(name).getAttribute('aria-checked') === 'true'

test('a new grant starts with nothing, and saves exactly the chosen tools', () => {
	show(null)
	expect(tools.map(({ name }) => isChecked(name))).toEqual([false, false, false])
	fireEvent.click(box('echo'))
	fireEvent.click(box('add'))
	fireEvent.click(box('add'))
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith({ access_mode: 'selected', allowed_tools: ['echo'] })
})

test('an unchanged grant offers nothing to save', () => {
	show({ access_mode: 'selected', allowed_tools: ['echo', 'add'] })
	expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
	fireEvent.click(box('wipe'))
	fireEvent.click(box('wipe'))
	expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})

test('a change says what saving will do, and can be undone', () => {
	show({ access_mode: 'selected', allowed_tools: ['echo'] })
	fireEvent.click(box('echo'))
	fireEvent.click(box('wipe'))
	expect(screen.getByText('Not saved: +1 −1 tools')).toBeTruthy()
	fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
	expect(isChecked('echo')).toBe(true)
	expect(screen.queryByText(/Not saved/)).toBeNull()
	expect(onSave).not.toHaveBeenCalled()
})

test('all tools leaves no list behind, and its boxes rest', () => {
	show({ access_mode: 'selected', allowed_tools: ['echo'] })
	fireEvent.click(screen.getByRole('radio', { name: 'All tools' }))
	expect(isChecked('wipe')).toBe(true)
	expect(box('wipe').hasAttribute('disabled')).toBe(true)
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith({ access_mode: 'all', allowed_tools: null })
})

test('from all tools to selected ones, nothing is granted by accident', () => {
	show({ access_mode: 'all', allowed_tools: null })
	fireEvent.click(screen.getByRole('radio', { name: 'Selected tools' }))
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith({ access_mode: 'selected', allowed_tools: [] })
})
