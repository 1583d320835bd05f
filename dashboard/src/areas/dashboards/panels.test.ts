import { expect, test } from 'vitest'
import { movePanel, newPanel, placePanel, resizePanel, sizeOf, templates } from './panels.ts'

const panels = ['a', 'b', 'c'].map((id) => newPanel({ show: 'chart', id }))
const order = (moved: readonly { id: string }[]) => moved.map(({ id }) => id).join('')

test('a panel moves by one place, and never out of the dashboard', () => {
	expect(order(movePanel(panels, 'a', 1))).toBe('bac')
	expect(order(movePanel(panels, 'a', -1))).toBe('abc')
	expect(order(movePanel(panels, 'c', 1))).toBe('abc')
	expect(order(placePanel(panels, 'c', 0))).toBe('cab')
	expect(order(placePanel(panels, 'gone', 0))).toBe('abc')
})

test('sizes change in steps, by keys and by the mouse', () => {
	const [panel] = panels
	if (!panel) throw new Error('No panels yet.')
	expect(resizePanel(panel, { wider: 1 })).toMatchObject({ width: 8, height: 1 })
	expect(resizePanel({ ...panel, width: 12 }, { wider: 1 }).width).toBe(12)
	expect(resizePanel({ ...panel, width: 3 }, { wider: -1 }).width).toBe(3)
	expect(resizePanel(panel, { taller: 1 }).height).toBe(2)
	expect(sizeOf(panel, 0.35, 400)).toMatchObject({ width: 4, height: 2 })
})

test('templates are complete: every panel has a title and a unique id', () => {
	for (const { panels: own } of templates) {
		expect(new Set(own.map(({ id }) => id)).size).toBe(own.length)
		expect(own.every(({ title }) => title.length > 0)).toBe(true)
	}
	expect(templates.map(({ id }) => id)).toEqual(['operations', 'cost', 'quality'])
})
