import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import {
	layOut,
	type MatrixAgent,
	type MatrixColumn,
	MatrixGrid,
	type MatrixPlace,
	nextPlace,
} from './matrix-grid.tsx'

const server = (id: string) => ({ id, name: `Server ${id}`, slug: id, status: 'active', tools: [] })
const columns: MatrixColumn[] = ['one', 'two'].flatMap((id) =>
	Array.from({ length: 300 }, (_, at) => ({ server: server(id), tool: `tool_${at}` })),
)
const agentAt = (row: number): MatrixAgent => ({
	uuid: `agent-${row}`,
	name: `Agent ${row}`,
	status: 'active',
	access: [
		{
			server_id: 'one',
			grants: [],
			tools: [
				{ name: 'tool_0', allowed: true, reason: 'granted_selected' },
				{ name: 'tool_1', allowed: true, reason: 'granted_on_approval' },
				{ name: 'tool_2', allowed: false, reason: 'grant_disabled' },
			],
			unknown_tools: [],
		},
	],
})

afterEach(cleanup)

function Stage({ onOpen }: { onOpen(place: MatrixPlace): void }) {
	const [place, setPlace] = useState({ row: 0, column: 0 })
	return (
		<MatrixGrid
			rows={5000}
			agentAt={agentAt}
			columns={columns}
			place={place}
			onPlace={setPlace}
			onOpen={onOpen}
			onRows={() => {}}
		/>
	)
}

function show(onOpen: (place: MatrixPlace) => void) {
	render(<Stage onOpen={onOpen} />)
	return screen.getByRole('grid')
}

const chosen = (grid: HTMLElement) =>
	document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.getAttribute('aria-label')

test('each cell is named after its decision, and only visible cells are rendered', () => {
	const grid = show(() => {})
	expect(screen.getByRole('gridcell', { name: 'Agent 0, tool_0 on Server one: Allowed' })).toBeTruthy()
	expect(
		screen.getByRole('gridcell', { name: 'Agent 3, tool_1 on Server one: Allowed with approval' }),
	).toBeTruthy()
	expect(screen.getByRole('gridcell', { name: 'Agent 0, tool_2 on Server one: Denied' })).toBeTruthy()
	expect(screen.getByRole('gridcell', { name: 'Agent 0, tool_3 on Server one: Not granted' })).toBeTruthy()
	expect(grid.getAttribute('aria-rowcount')).toBe('5001')
	expect(grid.getAttribute('aria-colcount')).toBe('601')
	expect(screen.getAllByRole('gridcell').length).toBeLessThan(2500)
})

test('arrow keys move through it and Enter opens the cell', () => {
	const onOpen = vi.fn()
	const grid = show(onOpen)
	for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowRight'])
		fireEvent.keyDown(grid, { key })
	expect(chosen(grid)).toBe('Agent 2, tool_1 on Server one: Allowed with approval')
	fireEvent.keyDown(grid, { key: 'Enter' })
	expect(onOpen).toHaveBeenCalledWith({ row: 2, column: 1 })
})

test('no key moves out of the table', () => {
	const at = (key: string, place: MatrixPlace, ctrlKey = false) =>
		nextPlace({ key, ctrlKey }, place, 5000, 600)
	expect(at('ArrowUp', { row: 0, column: 3 })).toEqual({ row: 0, column: 3 })
	expect(at('ArrowLeft', { row: 4, column: 0 })).toEqual({ row: 4, column: 0 })
	expect(at('PageDown', { row: 4995, column: 0 })).toEqual({ row: 4999, column: 0 })
	expect(at('End', { row: 7, column: 0 })).toEqual({ row: 7, column: 599 })
	expect(at('End', { row: 7, column: 0 }, true)).toEqual({ row: 4999, column: 599 })
	expect(at('Home', { row: 7, column: 9 }, true)).toEqual({ row: 0, column: 0 })
	expect(at('a', { row: 7, column: 9 })).toBeNull()
})

test('above few tools the columns are wide enough for the name of their server', () => {
	const of = (name: string, count: number): MatrixColumn[] =>
		Array.from({ length: count }, (_, at) => ({ server: { ...server(name), name }, tool: `tool_${at}` }))
	const widths = (name: string, count: number) => {
		const { edges } = layOut([...of(name, count), ...of('Other', 4)])
		return edges.slice(1, count + 1).map((edge, at) => edge - (edges[at] as number))
	}
	expect(widths('Docs', 3)).toEqual([34, 34, 34])
	// In two lines: “Customer” and “relations”.
	expect(widths('Customer relations', 2)).toEqual([41, 41])
	expect(widths('Infrastructure', 1)).toEqual([116])
	expect(widths('A name that is longer than two lines can ever be in a heading of a table', 1)).toEqual([220])
	expect(layOut([]).edges).toEqual([0])
})
