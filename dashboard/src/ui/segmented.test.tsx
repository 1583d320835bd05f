import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { Segmented } from './segmented.tsx'

afterEach(cleanup)

const views = [
	{ value: 'chart', label: 'Chart' },
	{ value: 'table', label: 'Table' },
] as const

it('two controls with the same label on a page keep their own choice', () => {
	const one = <Segmented label="View" value="chart" options={views} onChange={() => {}} />
	render(
		<>
			{one}
			{one}
		</>,
	)
	const chosen = screen.getAllByRole<HTMLInputElement>('radio', { name: 'Chart' })
	expect(chosen.map(({ checked }) => checked)).toEqual([true, true])
})
