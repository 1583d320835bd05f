import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { type ToolLimits, withoutEmpty } from './call-limits.ts'
import { ToolLimitsEditor } from './tool-limits-editor.tsx'

const onSave = vi.fn(async (_limits: ToolLimits) => undefined)

afterEach(() => {
	cleanup()
	onSave.mockClear()
})

function show(limits: ToolLimits): void {
	render(
		<ToolLimitsEditor
			name="a grant"
			limits={limits}
			tools={['echo', 'wipe']}
			busy={false}
			error={null}
			disabled={false}
			onSave={onSave}
		/>,
	)
}

const type = (label: string, value: string) =>
	fireEvent.change(screen.getByLabelText(label), { target: { value } })

test('a tool without limits is not sent', () => {
	const one = { calls_per_minute: 1, concurrency: null }
	expect(withoutEmpty({ '*': { calls_per_minute: null, concurrency: null }, echo: one })).toEqual({
		echo: one,
	})
})

test('limits all tools together and one of them', () => {
	show({})
	type('Calls a minute: all tools together', '120')
	fireEvent.change(screen.getByLabelText('Limit a single tool'), { target: { value: 'wipe' } })
	type('At a time: wipe', '1')
	fireEvent.click(screen.getByRole('button', { name: 'Save limits of calls' }))
	expect(onSave).toHaveBeenCalledWith({
		'*': { calls_per_minute: 120, concurrency: null },
		wipe: { calls_per_minute: null, concurrency: 1 },
	})
})

test('clearing a limit removes it, and unchanged limits are not saved', () => {
	show({ '*': { calls_per_minute: 5, concurrency: null } })
	const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save limits of calls' })
	expect(save.disabled).toBe(true)
	type('Calls a minute: all tools together', '')
	fireEvent.click(save)
	expect(onSave).toHaveBeenCalledWith({})
})
