import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { api } from '../../api.ts'
import { spotlightViewsQuery } from '../saved-views/queries.ts'
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

test('the view of a panel is found also if a hundred others are newer', async () => {
	const views = Array.from({ length: 150 }, (_, at) => ({ id: String(at), address: null }))
	const get = vi.spyOn(api, 'GET').mockImplementation((async (_path: string, options: unknown) => {
		const { page = 1 } = (options as { params: { query: { page?: number } } }).params.query
		const data = { questions: views.slice(100 * (page - 1), 100 * page), pagination: { total_pages: 2 } }
		return { data, response: new Response() }
	}) as never)
	const { questions } = await new QueryClient().fetchQuery(spotlightViewsQuery)
	expect(questions).toHaveLength(150)
	get.mockRestore()
})
