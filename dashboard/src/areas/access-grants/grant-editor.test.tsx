import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { GrantEditor } from './grant-editor.tsx'
import type { GrantChoice } from './queries.ts'

const tools = [{ name: 'echo' }, { name: 'add' }, { name: 'wipe' }]
const selected = (...allowed_tools: string[]): GrantChoice => ({
	access_mode: 'selected',
	allowed_tools,
	allowed_prompts: [],
	allowed_resources: [],
})
const all: GrantChoice = {
	access_mode: 'all',
	allowed_tools: null,
	allowed_prompts: null,
	allowed_resources: null,
}
const onSave = vi.fn<(choice: GrantChoice) => Promise<void>>(async () => {})

// Radix measures its check boxes, and jsdom has no layout.
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
	onSave.mockClear()
})

/** Each grant has a unique name, unless a test shows it again. */
function show(granted: GrantChoice | null, name = crypto.randomUUID() as string): void {
	render(
		<GrantEditor name={name} granted={granted} tools={tools} action="Save" busy={false} onSave={onSave} />,
	)
}

const box = (name: string) => screen.getByRole('checkbox', { name })
const isChecked = (name: string) => box(name).getAttribute('aria-checked') === 'true'

test('a new grant starts empty, and saves exactly the chosen tools', () => {
	show(null)
	expect(tools.map(({ name }) => isChecked(name))).toEqual([false, false, false])
	fireEvent.click(box('echo'))
	fireEvent.click(box('add'))
	fireEvent.click(box('add'))
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith(selected('echo'))
})

test('an unchanged grant cannot be saved', () => {
	show(selected('echo', 'add'))
	expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
	fireEvent.click(box('wipe'))
	fireEvent.click(box('wipe'))
	expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})

test('the button says what saving will change, and changes can be undone', () => {
	show(selected('echo'))
	fireEvent.click(box('echo'))
	fireEvent.click(box('wipe'))
	expect(screen.getByText('Not saved: +1 −1 tools')).toBeTruthy()
	fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
	expect(isChecked('echo')).toBe(true)
	expect(screen.queryByText(/Not saved/)).toBeNull()
	expect(onSave).not.toHaveBeenCalled()
})

test('choosing all tools removes the list, and disables its boxes', () => {
	show(selected('echo'))
	fireEvent.click(screen.getByRole('radio', { name: 'All tools' }))
	expect(isChecked('wipe')).toBe(true)
	expect(box('wipe').hasAttribute('disabled')).toBe(true)
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith(all)
})

test('switching from all tools to selected ones grants nothing by accident', () => {
	show(all)
	fireEvent.click(screen.getByRole('radio', { name: 'Selected tools' }))
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).not.toHaveBeenCalled()
	fireEvent.click(screen.getByRole('button', { name: 'Allow nothing' }))
	expect(onSave).toHaveBeenCalledWith(selected())
})

test('a new empty grant cannot be saved', () => {
	show(null)
	expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
	expect(screen.getByText(/Select a tool/)).toBeTruthy()
	expect(onSave).not.toHaveBeenCalled()
})

test('unsaved changes are still there after visiting another screen, and when saving fails', async () => {
	show(selected('echo'), 'kept')
	fireEvent.click(box('wipe'))
	cleanup()
	show(selected('echo'), 'kept')
	expect(isChecked('wipe')).toBe(true)
	onSave.mockRejectedValueOnce(new Error('There is no network.'))
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	await Promise.resolve()
	expect(isChecked('wipe')).toBe(true)
	const leaving = new Event('beforeunload', { cancelable: true })
	dispatchEvent(leaving)
	expect(leaving.defaultPrevented).toBe(true)
	fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
	const free = new Event('beforeunload', { cancelable: true })
	dispatchEvent(free)
	expect(free.defaultPrevented).toBe(false)
})

test('a granted tool that the server does not have is shown by name', () => {
	show(selected('echo', 'ecoh'))
	expect(isChecked('ecoh')).toBe(true)
	expect(screen.getByText('not on this server')).toBeTruthy()
})

test('prompts and resources are written line by line, without affecting the tools', () => {
	show({ ...selected('echo'), allowed_prompts: ['greet'] })
	expect(screen.getByRole('textbox', { name: /^Prompts/ })).toHaveProperty('value', 'greet')
	fireEvent.change(screen.getByRole('textbox', { name: /^Resources/ }), {
		target: { value: 'file:///a,b\n\n file:///docs/{name} \n' },
	})
	expect(screen.getByText('Not saved: +2 resources')).toBeTruthy()
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith({
		...selected('echo'),
		allowed_prompts: ['greet'],
		allowed_resources: ['file:///a,b', 'file:///docs/{name}'],
	})
})

test('other fields of the grant are not sent', () => {
	const grant = { ...selected('echo'), id: 'g1', enabled: true }
	show(grant)
	fireEvent.click(box('add'))
	fireEvent.click(screen.getByRole('button', { name: 'Save' }))
	expect(onSave).toHaveBeenCalledWith(selected('echo', 'add'))
})
