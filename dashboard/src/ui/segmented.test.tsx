import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { Segmented } from './segmented.tsx'

afterEach(cleanup)

const views = [
	{ value: 'chart', label: 'Chart' },
	{ value: 'table', label: 'Table' },
] as const

it('two choices of one label on a page each have what was chosen', () => {
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
