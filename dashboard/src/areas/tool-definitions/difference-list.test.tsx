import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { DifferenceList } from './difference-list.tsx'

afterEach(cleanup)

const differences = [
	{
		part: 'description',
		pointer: '',
		change: 'changed' as const,
		from: 'Runs it.',
		to: 'Runs it. \u200bIn secret.',
		text: '',
	},
	{
		part: 'inputSchema',
		pointer: '/required',
		change: 'changed' as const,
		from: ['path'],
		to: ['path', 'depth'],
		text: '',
	},
	{ part: 'inputSchema', pointer: '/title', change: 'removed' as const, from: 'Old', to: null, text: '' },
]

test('differences are grouped by part, and each names its kind', () => {
	render(<DifferenceList differences={differences} />)
	const list = screen.getByRole('region', { name: 'Difference: Arguments' })
	expect(
		within(list)
			.getAllByText(/^(changed|removed)$/)
			.map(({ textContent }) => textContent),
	).toEqual(['changed', 'removed'])
	expect(within(list).getByText('/required')).toBeTruthy()
})

test('added and removed text is also marked by words and signs, and hidden characters are made visible', () => {
	render(<DifferenceList differences={differences} />)
	const text = screen.getByRole('region', { name: 'Description: changed' })
	expect(text.querySelector('ins')?.textContent).toBe('added:  \\u{200B}In secret.')
	const lines = screen.getByRole('region', { name: 'Arguments/required: changed' })
	const shown = within(lines).getAllByRole('listitem')
	expect(shown.map(({ textContent }) => textContent)).toContain('+added:   "depth"')
	expect(screen.getByRole('region', { name: 'Arguments/title: removed' }).textContent).toBe('−removed: Old')
})
